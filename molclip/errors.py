"""Errors that a user can cause and mend: one sentence of what was wrong, one of what to do."""


class MolclipError(Exception):
    """Base of every error that is shown to the user without a traceback.

    Parameters
    ----------
    message
        What was wrong and where (file, row, id), as one sentence.
    hint
        What to do about it, as one sentence; may be empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


def install_hint(extra: str) -> str:
    """What to do where the packages of an extra are missing; as the README installs molclip."""
    return f'In the folder of molclip: pip install -e ".[{extra}]"'


class InputError(MolclipError):
    """A file, column, option or structure that cannot be used."""


class InvalidRowError(InputError):
    """A row that cannot be used, where the user asked to stop at the first such row."""


class LibraryError(MolclipError):
    """A library that is missing, damaged, or embedded by another model."""


class ModelError(MolclipError):
    """Weights, tokenizer or configuration that are missing or do not belong together."""


class ConfigError(MolclipError):
    """A training or evaluation configuration with a wrong key or value."""


class DataLeakError(MolclipError):
    """Training data that contains a molecule kept for validation or test."""
