"""Which words a model has met: a label of strangers to it cannot be judged."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

FILE_NAME = "words.txt"
"""Its name in a model folder: one word a line."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_MINIMUM = 5
# Words of every sentence say nothing about its subject.
_FUNCTION_WORDS = frozenset(
    (
        "the",
        "and",
        "for",
        "with",
        "that",
        "this",
        "from",
        "are",
        "not",
        "used",
        "has",
        "have",
        "its",
    )
)


def content_words(text: str) -> list[str]:
    """Words of three letters or more, lower-case, without function words."""
    return [word for word in _WORD.findall(text.lower()) if word not in _FUNCTION_WORDS]


def frequent_words(texts: Iterable[str]) -> list[str]:
    """Content words that occur at least five times, sorted."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(content_words(text))
    return sorted(word for word, count in counts.items() if count >= _MINIMUM)


def write_words(texts: Iterable[str], folder: Path, phrases: Iterable[str] = ()) -> int:
    """Write the words of training texts into a model folder; return their number.

    Parameters
    ----------
    texts
        A sample of captions; rare words in it are taken for typing errors.
    folder
        The model's.
    phrases
        Names, labels and everyday words that captions are made of: all their words count.
    """
    certain = {word for phrase in phrases for word in content_words(phrase)}
    words = sorted(certain.union(frequent_words(texts)))
    (folder / FILE_NAME).write_text("".join(f"{word}\n" for word in words), encoding="utf-8")
    return len(words)


def read_words(folder: Path | None) -> frozenset[str] | None:
    """The words of a model folder; None where it has no list."""
    if folder is None or not (folder / FILE_NAME).is_file():
        return None
    return frozenset((folder / FILE_NAME).read_text(encoding="utf-8").split())


def is_strange(text: str, known: frozenset[str]) -> bool:
    """Whether fewer than half of a text's content words are known, plurals counted as singulars.

    A text without content words ("pH 7", "X") is not strange: there is nothing to judge it by.
    """
    words = content_words(text)
    return bool(words) and 2 * sum(_is_met(word, known) for word in words) < len(words)


def unknown_words(text: str, known: frozenset[str]) -> list[str]:
    """Content words of a text that are not known, each once, in their order.

    Plurals count as singulars.
    """
    return list(dict.fromkeys(w for w in content_words(text) if not _is_met(w, known)))


def _is_met(word: str, known: frozenset[str]) -> bool:
    return word in known or word.removesuffix("s") in known
