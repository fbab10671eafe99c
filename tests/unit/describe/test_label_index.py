"""Lines of labels, on numbers small enough to sort by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from molclip.describe.label_index import FEWEST, compute, label_index
from molclip.describe.vocabulary import Label
from molclip.errors import LibraryError


class Model:
    """Reads "x" as the first axis and "y" as the second."""

    dimension = 2
    model_hash = "of-tests"
    read = 0

    def encode_text(self, texts: list[str]) -> np.ndarray:
        self.read += len(texts)
        axes = {"x": (1.0, 0.0), "y": (0.0, 1.0)}
        return np.array([axes[text[0]] for text in texts], dtype=np.float32)


def _circle(count: int) -> np.ndarray:
    angles = np.arange(count) * (np.pi / 2) / (count - 1)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def test_the_line_is_the_score_that_the_share_reaches() -> None:
    background = _circle(5)  # x is 1, 0.92, 0.71, 0.38, 0
    wanted = [
        Label("1", "class", "x", 0.4),
        Label("2", "role", "y", 0.2),
        Label("3", "use", "x", 0),
    ]
    index = compute(Model(), wanted, background)
    # Two of five reach the second-highest score; one of five the highest; never fewer than one.
    assert index.lines.tolist() == pytest.approx([np.cos(np.pi / 8), 1.0, 1.0], abs=1e-6)
    column = np.cos(np.arange(5) * np.pi / 8)
    assert index.spreads[0] == pytest.approx(np.sqrt(np.mean((column - column.mean()) ** 2)))
    scores, margins = index.margins(np.array([0.6, 0.8], dtype=np.float32))
    assert scores.tolist() == pytest.approx([0.6, 0.8, 0.6])
    assert margins[0] == pytest.approx((0.6 - np.cos(np.pi / 8)) / column.std(), abs=1e-4)


def test_the_cache_is_used_and_belongs_to_the_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path))
    wanted = [Label("1", "class", "x", 0.25), Label("2", "role", "y", 0.5)]
    monkeypatch.setattr("molclip.describe.label_index.labels", lambda: wanted)
    background, model = _circle(FEWEST), Model()
    told: list[tuple[int, int | None]] = []
    first = label_index(model, background, lambda _, done, whole: told.append((done, whole)))
    assert told == [(0, 2), (2, 2)]
    again = label_index(model, background)
    assert model.read == 2
    assert again.labels == tuple(wanted)
    for name in ("vectors", "lines", "spreads"):
        assert np.array_equal(getattr(first, name), getattr(again, name))
    other = Model()
    other.model_hash = "another"
    label_index(other, background)
    assert other.read == 2
    label_index(model, background[::-1])
    assert model.read == 4


def test_a_small_background_is_refused() -> None:
    with pytest.raises(LibraryError, match="has 3 molecules"):
        label_index(Model(), _circle(3))
