"""What a sweep file asks for: the runs, each a whole configuration, checked before any starts."""

from __future__ import annotations

import copy
import hashlib
import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from molclip.errors import ConfigError
from molclip.training.config import TrainingConfig, checked, config_from, read_toml

BASE = "base"
"""Name of the run without changes in mode `one-at-a-time`."""

_LONGEST_FOLDER = 80
# Last parts of a key that say nothing without the part before: `objective.name`, `text_head.kind`.
_VAGUE = ("name", "kind")


class SweepFile(BaseModel):
    """The keys of a sweep file."""

    model_config = ConfigDict(extra="forbid")

    base: Path | dict[str, Any]
    """Configuration that every run starts from: a file (looked for beside the sweep file, then
    where the command runs), or the tables themselves."""
    output: Path
    """Folder of the sweep; each run gets a folder in it."""
    mode: Literal["grid", "one-at-a-time"] = "grid"
    axes: dict[str, Any] = Field(default_factory=dict)
    """Key of the configuration to the list of its values."""
    variant: list[dict[str, Any]] = Field(default_factory=list)
    """Named sets of changes."""


@dataclass(frozen=True)
class SweepRun:
    """One run of a sweep."""

    name: str
    changes: Mapping[str, Any]
    """Dotted key to value, where the run differs from the base."""
    config: TrainingConfig

    @property
    def folder(self) -> Path:
        """Where the run leaves checkpoint, history and model."""
        return self.config.output


@dataclass(frozen=True)
class Sweep:
    """All runs of a sweep file, in the order in which they run."""

    file: Path
    output: Path
    mode: str
    base: TrainingConfig
    runs: tuple[SweepRun, ...]


def load_sweep(path: Path) -> Sweep:
    """Read a sweep file and check every run in it.

    In mode `grid` the runs are all combinations of the axes' values; the variants, if there are
    any, are one further axis. In mode `one-at-a-time` they are the base, then the base with one
    value of one axis, for each value that the base does not have already, then each variant.

    Parameters
    ----------
    path
        A TOML file with the keys of `SweepFile`.

    Raises
    ------
    ConfigError
        Naming the file, the run, the key, what is wrong and, for an unknown key, the nearest
        known one.
    """
    file = checked(SweepFile, read_toml(path), str(path))
    raw = _base(file.base, path)
    base = config_from({**raw, "output": str(file.output)}, f"{path}: base")
    axes = _axes(file.axes, path)
    variants = _variants(file.variant, path)
    for name, changes in variants if file.mode == "grid" else []:
        if both := sorted(axes.keys() & changes.keys()):
            raise ConfigError(
                f"{path}: variant {name!r} sets {both[0]!r}, which is also an axis.",
                'Take it out of one of them, or use mode = "one-at-a-time".',
            )
    if not axes and not variants:
        raise ConfigError(
            f"{path} names nothing to compare.",
            'Add [axes] with lists of values, such as "objective.name" = ["clip", "siglip"], or '
            "[[variant]] tables.",
        )
    combine = _grid if file.mode == "grid" else _one_at_a_time
    runs: list[SweepRun] = []
    folders: set[str] = set()
    for name, changes in combine(axes, variants):
        run = _run(name, changes, raw, file.output, path)
        if runs and file.mode != "grid" and _same(run.config, base):
            if any(name == variant for variant, _ in variants):
                raise ConfigError(
                    f"{path}: variant {name!r} changes nothing of the base.",
                    "Give it another value, or take it out. A table replaces one of the base only "
                    'where its key is quoted: "objective.add" = {}.',
                )
            continue
        if run.folder.name.lower() in folders:
            raise ConfigError(f"{path}: two runs are called {name!r}.", "Give each its own name.")
        folders.add(run.folder.name.lower())
        runs.append(run)
    return Sweep(path, file.output, file.mode, base, tuple(runs))


def _base(base: Path | dict[str, Any], path: Path) -> dict[str, Any]:
    if isinstance(base, dict):
        return base
    beside = path.parent / base
    return read_toml(beside if beside.is_file() else base)


def _axes(tables: dict[str, Any], path: Path) -> dict[str, list[Any]]:
    axes = dict(_flat(tables))
    for key, values in axes.items():
        if not isinstance(values, list) or not values:
            raise ConfigError(
                f"{path}: axes: {key!r} is no list of values.", f'Write "{key}" = [first, second].'
            )
        _refuse_output(key, path)
    return axes


def _variants(tables: list[dict[str, Any]], path: Path) -> list[tuple[str, dict[str, Any]]]:
    variants = []
    for number, table in enumerate(tables, start=1):
        name = table.get("name")
        if not isinstance(name, str) or not name.strip():
            raise ConfigError(
                f"{path}: variant {number} has no name.", 'Add name = "…" to its table.'
            )
        changes = dict(_flat({key: value for key, value in table.items() if key != "name"}))
        for key in changes:
            _refuse_output(key, path)
        variants.append((name.strip(), changes))
    return variants


def _refuse_output(key: str, path: Path) -> None:
    if key == "output":
        raise ConfigError(
            f"{path}: a run cannot choose its own output.", "Every run gets a folder in `output`."
        )


def _flat(table: dict[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys and values; nested tables are what TOML makes of unquoted dotted keys.

    The table behind a quoted dotted key (`"objective.add" = { vicreg = 0.1 }`) is a value.
    """
    for key, value in table.items():
        if isinstance(value, dict) and "." not in key:
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def _grid(
    axes: dict[str, list[Any]], variants: list[tuple[str, dict[str, Any]]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    labels = _labels(axes)
    for named in [(name, changes) for name, changes in variants] or [("", {})]:
        for values in itertools.product(*axes.values()):
            chosen = dict(zip(axes, values, strict=True))
            words = [f"{labels[key]}={_shown(value)}" for key, value in chosen.items()]
            yield " ".join(filter(None, [named[0], *words])), {**chosen, **named[1]}


def _one_at_a_time(
    axes: dict[str, list[Any]], variants: list[tuple[str, dict[str, Any]]]
) -> Iterator[tuple[str, dict[str, Any]]]:
    labels = _labels(axes)
    yield BASE, {}
    for key, values in axes.items():
        for value in values:
            yield f"{labels[key]}={_shown(value)}", {key: value}
    yield from variants


def _labels(axes: dict[str, list[Any]]) -> dict[str, str]:
    """A short word for each key, where it is the only one with that word."""
    short = {}
    for key in axes:
        parts = key.split(".")
        short[key] = parts[-2] if len(parts) > 1 and parts[-1] in _VAGUE else parts[-1]
    words = list(short.values())
    return {key: word if words.count(word) == 1 else key for key, word in short.items()}


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _run(
    name: str, changes: dict[str, Any], raw: dict[str, Any], output: Path, path: Path
) -> SweepRun:
    origin = f"{path}, run {name!r}"
    merged = copy.deepcopy(raw)
    for key, value in changes.items():
        _put(merged, key, copy.deepcopy(value), origin)
    merged["output"] = str(output / _folder_name(name))
    return SweepRun(name, changes, config_from(merged, origin))


def _put(tables: dict[str, Any], key: str, value: Any, origin: str) -> None:
    *sections, last = key.split(".")
    table = tables
    for section in sections:
        table = table.setdefault(section, {})
        if not isinstance(table, dict):
            raise ConfigError(
                f"{origin}: {key!r} is no key: {section!r} is a value.", "Check the key."
            )
    table[last] = value


def _folder_name(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._=+-]+", "-", name).strip("-.") or "run"
    if len(plain) <= _LONGEST_FOLDER and plain == name.replace(" ", "-"):
        return plain
    # What was replaced or cut could make two names one.
    return f"{plain[:_LONGEST_FOLDER]}-{hashlib.sha256(name.encode()).hexdigest()[:6]}"


def _same(first: TrainingConfig, second: TrainingConfig) -> bool:
    return first.model_dump(exclude={"output"}) == second.model_dump(exclude={"output"})
