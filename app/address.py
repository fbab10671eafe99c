"""Whether a page can be served at an address, found out before anything is loaded."""

from __future__ import annotations

import errno
import os
import socket

from molclip.errors import InputError

LAST_PORT = 65535


def check_address(host: str, port: int | None) -> None:
    """Try an address out.

    Parameters
    ----------
    host
        Name or number, IPv6 also in square brackets.
    port
        None stands for any free one.

    Raises
    ------
    InputError
        When nothing can be served there, with the reason and what to do.
    """
    if not 0 <= (port or 0) <= LAST_PORT:
        raise InputError(f"There is no port {port}.", f"Give one from 1024 to {LAST_PORT}.")
    host = host.strip("[]")
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        if os.name == "posix":  # elsewhere it would take the port from another program
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port or 0))
        except OSError as problem:
            raise _refusal(host, port, problem) from problem


def _refusal(host: str, port: int | None, problem: OSError) -> InputError:
    if problem.errno == errno.EADDRINUSE and port:
        other = port + 1 if port < LAST_PORT else port - 1
        return InputError(
            f"Port {port} of {host} is in use, perhaps by this very page.",
            f"Choose another port: --port {other}, or --port 0 for any free one.",
        )
    if problem.errno == errno.EACCES:
        return InputError(
            f"Port {port} may not be used without more rights.",
            "Choose one above 1023 with --port.",
        )
    return InputError(
        f"Nothing can be served at {host}: {problem.strerror}.",
        "Give an address of this machine with --host: 127.0.0.1, or 0.0.0.0 for all of them.",
    )
