"""A model beside others and beside baselines, on the same texts: one table, and paired differences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from molclip.evaluation.metrics import Difference, paired_bootstrap
from molclip.evaluation.plots import Plot, bars
from molclip.evaluation.ranks import Ties
from molclip.evaluation.report import Table
from molclip.evaluation.settings import Setting

_SHOWN = {
    "text_to_molecule": ("hits@1", "hits@10", "mrr"),
    "text_to_molecule_split": ("hits@1", "mrr"),
    "molecule_to_text": ("hits@1", "mrr"),
}
_LABELS = {"hits@1": "Hits@1", "hits@10": "Hits@10", "mrr": "MRR"}
_LONGEST = 20
_COMPARED = ("hits@1", "mrr")


@dataclass(frozen=True)
class System:
    """A model or baseline, measured in the same settings."""

    name: str
    """At most 20 letters."""
    note: str
    """What it is and what it learned from, in a sentence."""
    settings: Sequence[Setting]
    ties: Ties = "pessimistic"
    """Whose figures are shown: `expected` where everything ties by construction."""

    def setting(self, key: str) -> Setting | None:
        """Return one setting, if the system has it."""
        return next((setting for setting in self.settings if setting.key == key), None)

    def to_dict(self) -> dict[str, Any]:
        """Return the system for the JSON report."""
        return {
            "name": self.name,
            "note": self.note,
            "ties": self.ties,
            "settings": {setting.key: setting.to_dict() for setting in self.settings},
        }


def short_name(name: str) -> str:
    """Name of a system from that of its model: at most 20 letters, of a path its telling end."""
    parts = [part for part in Path(name).parts if part not in ("model", "/")]
    text = parts[-1] if parts else name
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def short_names(names: Iterable[str]) -> list[str]:
    """Short names of several models, numbered where two would have the same."""
    found: list[str] = []
    for name in names:
        short, number = short_name(name), 2
        while short in found:
            ending = f" {number}"
            short, number = short_name(name)[: _LONGEST - len(ending)] + ending, number + 1
        found.append(short)
    return found


def differences(
    model: Sequence[Setting], other: System, *, samples: int = 1000, seed: int = 0
) -> Mapping[str, Mapping[str, Difference]]:
    """Return, for each setting that both have, how much better the model is than the other.

    Empty for a system whose figures are no average over queries that can be resampled.

    Parameters
    ----------
    model
        Settings of the evaluated model.
    other
        Measured on the same queries.
    samples, seed
        See `metrics.paired_bootstrap`.

    Raises
    ------
    ValueError
        When the two did not answer the same queries.
    """
    if other.ties != "pessimistic":
        return {}
    found = {}
    for mine in model:
        theirs = other.setting(mine.key)
        if theirs is None:
            continue
        if list(mine.query_ids) != list(theirs.query_ids):
            raise ValueError(f"{other.name} answered other queries in {mine.key}")
        found[mine.key] = paired_bootstrap(theirs.ranks, mine.ranks, samples=samples, seed=seed)
    return found


def systems_table(model: System, others: Sequence[System]) -> Table:
    """One row for each system: Hits and MRR in every direction and pool that the model has."""
    columns = [""]
    keys: list[tuple[str, str]] = []
    for setting in model.settings:
        for index, figure in enumerate(_SHOWN[setting.key]):
            pool = setting.ranks.pool_size
            arrow = "mol → text" if setting.key == "molecule_to_text" else f"pool {pool:,}"
            columns.append(f"{arrow if not index else ''}\n{_LABELS[figure]}")
            keys.append((setting.key, figure))
    rows = []
    for system in (model, *others):
        cells = [system.name]
        for key, figure in keys:
            measured = system.setting(key)
            value = measured.figures[system.ties][figure] if measured else None
            cells.append("–" if value is None else _short(value))
        rows.append(cells)
    return Table("Beside other systems, on the same texts", columns, rows)


def differences_table(
    found: Sequence[tuple[System, Mapping[str, Mapping[str, Difference]]]], samples: int
) -> Table | None:
    """How much better the model is than each other system, in the first setting."""
    rows = []
    for system, settings in found:
        for key in list(settings)[:1]:
            for figure in _COMPARED:
                difference = settings[key][figure]
                rows.append(
                    [
                        system.name if figure == _COMPARED[0] else "",
                        _LABELS[figure],
                        f"{difference.value:+.3f}",
                        f"{difference.low:+.3f} to {difference.high:+.3f}",
                        f"{difference.p:.3f}" if difference.p > 2 / samples else f"< {2 / samples}",
                    ]
                )
    if not rows:
        return None
    return Table(
        "The model minus each of them, paired bootstrap over the texts",
        ["", "", "difference", "95 %", "p"],
        rows,
        left=frozenset({0, 1}),
    )


def systems_plot(model: System, others: Sequence[System]) -> Plot:
    """Hits@1, Hits@10 and MRR of every system in the first setting."""
    key = model.settings[0].key
    names = ("hits@1", "hits@10", "mrr")
    series = {
        _LABELS[name]: [
            measured.figures[system.ties][name]
            for system in (model, *others)
            if (measured := system.setting(key))
        ]
        for name in names
    }
    shown = [system.name for system in (model, *others) if system.setting(key)]
    pool = model.settings[0].ranks.pool_size
    return bars(f"Text to molecule, pool {pool:,}", shown, series, "", "share, or mean of 1 / rank")


def _short(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 or not value else f"{value:.0e}"
