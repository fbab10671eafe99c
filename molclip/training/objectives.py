"""From a configuration to a loss over the views of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor
from torch.nn import functional

from molclip.errors import ConfigError
from molclip.losses import LOSSES, ContrastiveLoss, Negatives, Terms
from molclip.training.config import NegativesSection, TrainingConfig

TEXT, MOLECULE = "text", "molecule"
_TWO_VIEWS = {"molecule": ("molecule_a", "molecule_b"), "text": ("text_a", "text_b")}
#: Objectives that weigh candidates against each other, so that the choice of negatives matters.
_CONTRASTIVE = frozenset({"clip", "siglip", "nt_xent", "moco"})
#: Objectives of projections as they are; the others see unit vectors.
_RAW = frozenset({"vicreg", "wmse"})


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a step's loss needs beside the vectors that have a gradient."""

    scale: Tensor
    bias: Tensor | None = None
    false: Tensor | None = None
    """Bool ``(N, N)``, text × molecule; see `losses.Negatives.false`."""
    false_molecules: Tensor | None = None
    """Bool ``(N, N)``, molecule × molecule: the rules that need no text."""
    keys: Mapping[str, Tensor] = field(default_factory=dict)
    """Unit vectors ``(N, D)`` of the momentum encoders, by view."""
    queues: Mapping[str, Tensor] = field(default_factory=dict)
    """Remembered keys ``(K, D)``, by view."""
    queue_false: Mapping[str, Tensor | None] = field(default_factory=dict)
    """Bool ``(N, K)``: which remembered keys of a view are no negatives of the query of a row."""


@dataclass(frozen=True, slots=True)
class ObjectiveValue:
    """The sum that is minimised, and the main objective by itself."""

    loss: Tensor
    main: ContrastiveLoss
    parts: dict[str, float]
    """Each objective's own loss, unweighted; with a single objective empty."""


@dataclass(frozen=True, slots=True)
class _Part:
    name: str
    weight: float
    pair: tuple[str, str]
    cross: bool


class Objective:
    """A main objective and what is added to it.

    Parameters
    ----------
    config
        Its sections `objective` and `negatives`.

    Attributes
    ----------
    views
        Views that need vectors with a gradient: `text`, `molecule`, or one or both of two captions
        (`text_a`, `text_b`) or augmentations (`molecule_a`, `molecule_b`).
    key_views
        Views that the momentum encoders turn into keys, and whose keys are remembered.
    least_rows
        Rows without which a batch has no loss.

    Raises
    ------
    ConfigError
        For combinations that mean nothing.
    """

    def __init__(self, config: TrainingConfig) -> None:
        section = config.objective
        _check(config)
        named = {section.name: 1.0, **section.add}
        self.parts = [
            _Part(name, weight, *_pair(name, section.modality)) for name, weight in named.items()
        ]
        self.negatives = config.negatives
        needed = {"vicreg": 2, "wmse": config.model.dimension + 1}
        self.least_rows = max(needed.get(part.name, 1) for part in self.parts)
        views: dict[str, None] = {}
        keys: dict[str, None] = {}
        for part in self.parts:
            if part.name != "moco":
                views |= dict.fromkeys(part.pair)
            elif part.cross:
                views |= dict.fromkeys(part.pair)
                keys |= dict.fromkeys(part.pair)
            else:
                views[part.pair[0]] = None
                keys[part.pair[1]] = None
        self.views = tuple(views)
        self.key_views = tuple(keys)

    @property
    def needs_false(self) -> bool:
        """Whether texts and molecules are each other's negatives."""
        return any(
            part.name in _CONTRASTIVE and part.name != "moco" and part.cross for part in self.parts
        )

    @property
    def needs_false_molecules(self) -> bool:
        """Whether molecules are each other's negatives."""
        return any(part.name == "nt_xent" for part in self.parts)

    def __call__(self, vectors: Mapping[str, Tensor], around: Surroundings) -> ObjectiveValue:
        """The loss of a batch.

        Parameters
        ----------
        vectors
            Float ``(N, D)`` by view, projections before normalisation, row-aligned.
        around
            Everything else.
        """
        unit = {view: functional.normalize(rows, dim=-1) for view, rows in vectors.items()}
        total: Tensor | None = None
        main: ContrastiveLoss | None = None
        parts: dict[str, float] = {}
        for part in self.parts:
            value = self._value(part, vectors if part.name in _RAW else unit, around)
            main = main or value
            parts[part.name] = float(value.loss.detach())
            weighted = part.weight * value.loss
            total = weighted if total is None else total + weighted
        assert total is not None
        assert main is not None
        return ObjectiveValue(total, main, parts if len(parts) > 1 else {})

    def _value(
        self, part: _Part, vectors: Mapping[str, Tensor], around: Surroundings
    ) -> ContrastiveLoss:
        first, second = part.pair
        loss = LOSSES[part.name]
        if part.name == "moco":
            if not part.cross:
                return self._towards(first, second, vectors, around)
            there = self._towards(first, second, vectors, around)
            back = self._towards(second, first, vectors, around)
            return ContrastiveLoss(
                (there.loss + back.loss) / 2,
                (there.accuracy + back.accuracy) / 2,
                (there.masked + back.masked) / 2,
                there.candidates,
            )
        false = around.false if part.cross else around.false_molecules
        terms = Terms(around.scale, around.bias, self._negatives(false))
        return loss(vectors[first], vectors[second], terms)

    def _towards(
        self, query: str, key: str, vectors: Mapping[str, Tensor], around: Surroundings
    ) -> ContrastiveLoss:
        terms = Terms(
            around.scale,
            negatives=self._negatives(None),
            queue=around.queues[key],
            queue_false=around.queue_false.get(key),
        )
        return LOSSES["moco"](vectors[query], around.keys[key], terms)

    def _negatives(self, false: Tensor | None) -> Negatives:
        section: NegativesSection = self.negatives
        return Negatives(
            false=false,
            soft_share=section.soft_share if section.false == "soft" else None,
            beta=section.beta,
            semi_hard=section.semi_hard,
        )


def is_text(view: str) -> bool:
    """Whether a view is one of the text tower."""
    return view.startswith(TEXT)


def uses_bias(config: TrainingConfig) -> bool:
    """Whether the network needs the bias of a sigmoid objective."""
    return "siglip" in (config.objective.name, *config.objective.add)


def _pair(name: str, modality: str) -> tuple[tuple[str, str], bool]:
    """The two views of an objective, and whether they are of two modalities."""
    if name in ("clip", "siglip"):
        return (TEXT, MOLECULE), True
    if name == "nt_xent":
        return _TWO_VIEWS["molecule"], False
    if modality == "cross":
        return (TEXT, MOLECULE), True
    return _TWO_VIEWS[modality], False


def _check(config: TrainingConfig) -> None:
    section, negatives = config.objective, config.negatives
    if section.name in section.add:
        raise ConfigError(
            f"objective.add names {section.name!r}, which is the main objective already.",
            "Name other objectives there.",
        )
    named = {section.name, *section.add}
    if not named & _CONTRASTIVE:
        for key in ("beta", "semi_hard"):
            if getattr(negatives, key):
                raise ConfigError(
                    f"negatives.{key} has no effect: {section.name} has no negatives.",
                    "Remove it, or choose clip, siglip, nt_xent or moco.",
                )
    if section.modality != "cross" and not named & {"moco", "vicreg", "wmse"}:
        raise ConfigError(
            f"objective.modality = {section.modality!r} has no effect on {section.name}.",
            "Only moco, vicreg and wmse can pair two views of one modality.",
        )
    if "wmse" in named and config.run.batch_size <= config.model.dimension:
        raise ConfigError(
            f"wmse cannot whiten model.dimension = {config.model.dimension} with "
            f"run.batch_size = {config.run.batch_size}.",
            "Use a batch of at least twice the dimension.",
        )
    two_views = any(not _pair(name, section.modality)[1] for name in named)
    molecule_views = two_views and ("nt_xent" in named or section.modality == "molecule")
    if section.augmentations and not molecule_views:
        raise ConfigError(
            f"objective.augmentations has no effect: {section.name} pairs no two views of a "
            "molecule.",
            "Use nt_xent, or modality = 'molecule' with moco, vicreg or wmse.",
        )
