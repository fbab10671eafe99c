"""Who may see the page, as given on the command line."""

from __future__ import annotations

from collections.abc import Iterable

from molclip.errors import InputError


def read_users(
    written: Iterable[str | tuple[str, str]] | tuple[str, str] | None,
) -> list[tuple[str, str]]:
    """Names and passwords.

    Parameters
    ----------
    written
        `NAME:PASSWORD`, where the password may hold colons, or pairs; or one pair; None stands for
        nobody.

    Raises
    ------
    InputError
        For an entry without a name or a password, or a name given twice. Passwords are not part of
        the message.
    """
    if isinstance(written, tuple) and all(isinstance(part, str) for part in written):
        written = [(str(written[0]), str(written[-1]))]
    users: list[tuple[str, str]] = []
    for number, entry in enumerate(written or (), start=1):
        name, word = entry if isinstance(entry, tuple) else entry.partition(":")[::2]
        if not name.strip() or not word:
            raise InputError(
                f"Entry {number} of those who may see the page has no name or no password.",
                "Write NAME:PASSWORD.",
            )
        if name in dict(users):
            raise InputError(f"The name {name!r} is given twice.", "Give each name one password.")
        users.append((name, word))
    return users


def read_root_path(written: str) -> str:
    """The path under which a proxy serves the page, without a slash at its end; or empty.

    Raises
    ------
    InputError
        When it is neither a path nor an http address.
    """
    path = written.strip().rstrip("/")
    if path and not path.startswith(("/", "http://", "https://")):
        raise InputError(
            f"The root path {written!r} does not begin with a slash.",
            "Give the path the proxy serves the page at, such as /molclip.",
        )
    return path
