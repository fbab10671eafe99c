"""The tabs of the page, one file each, in the order shown.

A tab is a module with `TITLE` and `build(service)`, which is called inside the tab's context.
"""

from . import api, classify, describe, image_baseline, model, search, why, your_library

TABS = (search, your_library, classify, describe, why, image_baseline, model, api)
