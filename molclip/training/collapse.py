"""What goes wrong in a contrastive run, named from its numbers while it runs.

Two sets of rules: on means over some steps (accuracy, loss, temperature), and on the vectors at
the end of an epoch (spread, dead dimensions, rank). Training starts from vectors that are nearly
parallel and from a loss that is a guess, so a bad number counts only when it is no better than the
one before and the warm-up is over. A rule whose numbers are missing stays silent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from molclip.evaluation.negatives import candidate_count
from molclip.training.config import TrainingConfig

RANK_BELOW = 0.1
"""Effective rank under this share of the dimension."""
COLLAPSED_ABOVE = 0.5
"""Share of collapsed dimensions."""
UNIFORMITY_ABOVE = -0.2
"""0 is one point; even a circle, the least of all spheres, has −1.6."""
CHANCE_TIMES = 1.5
"""Accuracy under so many times chance has learned nothing."""
GUESS_SHARE = 0.98
"""Loss from this share of log(candidates) on is that of a guess."""
BETTER_BY = 0.02
"""A change of less than this share of the number before is none; for uniformity, which may be 0,
less than this much."""
CLAMP_WITHIN = 1.005
"""A temperature under so many times its least value is at the clamp."""
GRACE = 0.1
"""Share of the run in which nothing is expected, where the warm-up is not longer."""
GRACE_STEPS = 100
"""Steps in which nothing is expected of any run: a sound one may still look like a guess."""

_PAIRED = frozenset({"clip", "siglip"})
_CONTRASTIVE = frozenset({"clip", "siglip", "nt_xent", "moco"})

Record = Mapping[str, Any]


class Finding(NamedTuple):
    """One thing that is wrong."""

    rule: str
    """Which rule, and of which modality; the same for the same trouble in the next record."""
    sentence: str
    """What is seen, and what to try."""


@dataclass(frozen=True)
class Setting:
    """What the rules must know about the run."""

    candidates: float | None
    """Candidates of each row where accuracy has a chance level; None: not contrastive."""
    plain_loss: bool
    """Whether a guess has the loss log(candidates)."""
    modalities: tuple[str, ...]
    """Those that are trained."""
    least_temperature: float | None
    """The clamp; None where the temperature is fixed."""
    warm_steps: int
    """Steps after which the rules hold."""

    @classmethod
    def of(cls, config: TrainingConfig, total_steps: int | None, max_scale: float) -> Setting:
        """Read the setting off a configuration.

        Parameters
        ----------
        config
            The run.
        total_steps
            Length of the run, from which the warm-up is reckoned, if it is known.
        max_scale
            Clamp of the inverse temperature.
        """
        objective, negatives = config.objective, config.negatives
        batch = config.run.batch_size
        known = candidate_count(objective.name, batch, objective.queue)
        plain = not objective.add and not negatives.beta and negatives.semi_hard is None
        plain = plain and negatives.false != "soft"
        return cls(
            candidates=(known or batch) if objective.name in _CONTRASTIVE else None,
            plain_loss=known is not None and plain,
            modalities=trained_modalities(config),
            least_temperature=1 / max_scale
            if objective.learn_temperature and objective.name in _CONTRASTIVE
            else None,
            warm_steps=max(
                GRACE_STEPS, round(max(config.optimizer.warmup, GRACE) * (total_steps or 0))
            ),
        )


def trained_modalities(config: TrainingConfig) -> tuple[str, ...]:
    """Return the modalities that the objectives of a run give a gradient to, in order."""
    found: set[str] = set()
    for name in (config.objective.name, *config.objective.add):
        if name == "nt_xent":
            found.add("molecule")
        elif name in _PAIRED or config.objective.modality == "cross":
            found |= {"text", "molecule"}
        else:
            found.add(config.objective.modality)
    return tuple(name for name in ("text", "molecule") if name in found)


def in_vectors(record: Record, previous: Record | None, setting: Setting) -> list[Finding]:
    """Return what is wrong with the vectors at the end of an epoch.

    Parameters
    ----------
    record
        Numbers by name, as `diagnostics.diagnose` gives them, and `step`.
    previous
        Of the epoch before, or of the start of the run; None: the first epoch is not judged.
    setting
        Of the run.
    """
    if previous is None or not _warm(record, setting):
        return []
    return [
        finding
        for modality in setting.modalities
        for finding in _collapsing(record, previous, modality)
    ]


def _collapsing(record: Record, previous: Record, modality: str) -> Iterator[Finding]:
    spread, before = _both(record, previous, f"uniformity_{modality}")
    if spread is not None and spread > UNIFORMITY_ABOVE and spread >= before - BETTER_BY:
        yield Finding(
            f"uniformity_{modality}",
            f"All {modality} vectors lie close together (uniformity {spread:.2f}; 0 is one point, "
            "a full sphere −4): try a lower learning rate, a longer warm-up, or "
            "objective.add = { vicreg = 0.1 }.",
        )
    dead, before = _both(record, previous, f"collapsed_{modality}")
    if dead is not None and dead > COLLAPSED_ABOVE and dead >= (1 - BETTER_BY) * before:
        yield Finding(
            f"collapsed_{modality}",
            f"{dead:.0%} of the dimensions of the {modality} vectors hardly vary: try "
            "objective.add = { vicreg = 0.1 }, an mlp head, or fewer dimensions.",
        )
    rank, before = _both(record, previous, f"effective_rank_{modality}")
    dimension = _number(record, "dimension")
    if rank is None or dimension is None:
        return
    full = min(dimension, _number(record, "diagnosed_pairs") or dimension)
    if rank < RANK_BELOW * full and rank <= (1 + BETTER_BY) * before:
        yield Finding(
            f"rank_{modality}",
            f"The {modality} vectors fill few of their {full:.0f} dimensions (effective rank "
            f"{before:.1f} before, {rank:.1f} now): try objective.add = {{ vicreg = 0.1 }}, a "
            "lower learning rate, or larger batches.",
        )


def in_steps(record: Record, previous: Record | None, setting: Setting) -> list[Finding]:
    """Return what is wrong with how the last steps learned.

    Parameters
    ----------
    record
        Means over some steps by name, as `training.history.Means` makes them.
    previous
        Of the steps before those; None: only the temperature is judged.
    setting
        Of the run.
    """
    found = list(_clamped(record, setting))
    if previous is not None and _warm(previous, setting):
        found += _stuck(record, previous, setting)
    return found


def _clamped(record: Record, setting: Setting) -> Iterator[Finding]:
    temperature = _number(record, "temperature")
    least = setting.least_temperature
    if temperature is not None and least is not None and temperature <= CLAMP_WITHIN * least:
        yield Finding(
            "clamp",
            f"The temperature is at its clamp ({temperature:.4f}), so only the hardest negatives "
            "count: look for false negatives (negatives.rules) or near-duplicates, add dropout or "
            "data, or fix it with objective.learn_temperature = false.",
        )


def _stuck(record: Record, previous: Record, setting: Setting) -> Iterator[Finding]:
    candidates = _number(record, "candidates") or setting.candidates
    if candidates is None:
        return
    # Masked negatives are no candidates, which raises chance.
    left = 1 + (candidates - 1) * (1 - (_number(record, "masked") or 0.0))
    accuracy, before = _both(record, previous, "accuracy")
    if accuracy is not None and left > 2 and max(accuracy, before) < CHANCE_TIMES / left:
        yield Finding(
            "chance",
            f"In-batch accuracy is at chance ({accuracy:.2%}; a guess has {1 / left:.2%}): check "
            "that texts and molecules belong together, then try another learning rate.",
        )
    loss, before = _both(record, previous, "loss")
    guess = math.log(left)
    if (
        loss is not None
        and setting.plain_loss
        and loss >= GUESS_SHARE * guess
        and loss >= (1 - BETTER_BY) * before
    ):
        yield Finding(
            "guess_loss",
            f"The loss is no better than that of a guess ({loss:.2f}; log of {left:,.0f} candidates is "
            f"{guess:.2f}): try another learning rate or a longer run, and check the pairs.",
        )


def _warm(record: Record, setting: Setting) -> bool:
    step = _number(record, "step")
    return step is None or step > setting.warm_steps


def _both(record: Record, previous: Record, name: str) -> tuple[float | None, float]:
    """The number now and before; None and 0 where one of them is missing."""
    now, before = _number(record, name), _number(previous, name)
    return (None, 0.0) if now is None or before is None else (now, before)


def _number(record: Record, name: str) -> float | None:
    value = record.get(name)
    return float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None
