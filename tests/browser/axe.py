"""What axe finds on a page, but for a named list of Gradio's own markup."""

from __future__ import annotations

import json
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

GRADIOS_OWN: dict[tuple[str, str], str] = {}
"""Rule and a part of the markup that Gradio writes and no setting changes, with the reason."""

_OPTIONS = {
    "resultTypes": ["violations"],
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
}


def findings(page: Page) -> list[dict[str, Any]]:
    """Serious and critical findings that are ours: rule, markup, what to do."""
    # Colours half-way through a fade are nobody's choice.
    page.evaluate(
        """() => Promise.allSettled(document.getAnimations()
          .filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime))
          .map((one) => one.finished))"""
    )
    response = Axe().run(page, options=_OPTIONS).response
    found = []
    for violation in response["violations"]:
        if violation["impact"] not in ("serious", "critical"):
            continue
        for node in violation["nodes"]:
            known = any(
                violation["id"] == rule and part in node["html"] for rule, part in GRADIOS_OWN
            )
            if not known:
                found.append(
                    {
                        "rule": violation["id"],
                        "help": violation["help"],
                        "html": node["html"][:300],
                        "target": node["target"],
                        "summary": node["failureSummary"][:400],
                    }
                )
    return found


def told(found: object) -> str:
    return json.dumps(found, indent=1)


def check_accessibility(page: Page) -> None:
    """Fail with what axe finds."""
    found = findings(page)
    assert not found, told(found)
