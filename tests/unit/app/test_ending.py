"""What is left behind when the server is told to end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from molclip.app.environment import TEMP

# `molclip.app` makes the folder of uploads; `OwnLibraries` that of libraries.
_SERVER = """
import os, signal, sys, time
from molclip.app.ending import end_on_sigterm
from molclip.app.environment import private_folder
from molclip.app.own_libraries import OwnLibraries

end_on_sigterm()
worker = os.fork()
if not worker:
    time.sleep(60)
    os._exit(1)
folders = private_folder(), OwnLibraries().new_folder().parent
(folders[0] / "mine.csv").write_text("smiles")
print(*folders, worker, sep="\\n", flush=True)
print(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]), flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signals there")
def test_visitors_files_are_deleted() -> None:
    # A folder of its own, not that of these tests.
    env = {key: value for key, value in os.environ.items() if key != TEMP}
    server = subprocess.Popen(
        [sys.executable, "-c", _SERVER], stdout=subprocess.PIPE, text=True, env=env
    )
    assert server.stdout is not None
    uploads, libraries = (Path(server.stdout.readline().strip()) for _ in range(2))
    worker = int(server.stdout.readline())
    assert (uploads / "mine.csv").exists()
    assert libraries.exists()
    # A worker ends as ever, at once and without deleting what is the server's.
    os.kill(worker, signal.SIGTERM)
    assert int(server.stdout.readline()) == -signal.SIGTERM
    assert (uploads / "mine.csv").exists()
    server.terminate()
    assert server.wait(30) == 128 + signal.SIGTERM
    assert not uploads.exists()
    assert not libraries.exists()
