"""What holds for all tests."""

import gc

import pytest


@pytest.fixture(scope="module", autouse=True)
def settled() -> None:
    """Keep what earlier files left behind out of garbage collections.

    Modules and libraries that stay make millions of objects, and looking through them takes a
    second each time; a sweep, for one, collects after every run.
    """
    gc.collect()
    gc.freeze()
