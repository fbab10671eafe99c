"""The process that makes steps in advance lives no longer than its run."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = """
import os, time
import numpy as np
from molclip.training.preparing import Ahead, Place

class Preparer:
    def prepare(self, place, rows):
        return os.getpid()

ahead = Ahead(Preparer())
place, rows = Place(0, 0), np.arange(2)
ahead.ask([(place, rows)])
print(ahead.take(place, rows), flush=True)
time.sleep(300)
"""


def lives(pid: int) -> bool:
    """Whether there is such a process; one that only waits to be noted as ended is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_the_helper_of_a_killed_run_ends():
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT], stdout=subprocess.PIPE, text=True
    ) as process:
        helper = int(process.stdout.readline())
        assert helper != process.pid
        assert lives(helper)
        process.kill()
    end = time.monotonic() + 30
    while lives(helper) and time.monotonic() < end:
        time.sleep(0.1)
    assert not lives(helper)
