"""What a model's folder says of it: card, figures of its representation, history of its run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from molclip.errors import InputError
from molclip.training.shipped_history import SHIPPED, run_records

if TYPE_CHECKING:
    from .service import Service

CARD = "README.md"
REPRESENTATION = "representation.json"
"""As `molclip evaluate representation -o FOLDER` writes it."""


@dataclass(frozen=True)
class ModelFacts:
    """All of it; what is absent is None and has a sentence in `missing`."""

    name: str
    model_hash: str
    parameters: int
    members: int
    """Models that are joined in it; 1 for a single one."""
    dimension: int
    temperature: float
    sections: dict[str, str]
    """Markdown of the card by heading, in its order; under an empty heading what stands first."""
    representation: dict[str, Any] | None
    history: list[dict[str, float]] | None
    missing: dict[str, str]
    """Sentences by `card`, `representation` or `history`."""


def model_facts(service: Service) -> ModelFacts:
    """Read what lies beside the weights."""
    library = service.library
    model, folder = library.model, library._handle.folder
    missing: dict[str, str] = {}
    sections: dict[str, str] = {}
    try:
        sections = card_sections(_text(folder, CARD))
    except (OSError, ValueError):
        missing["card"] = f"The model’s folder has no {CARD} that can be read."
    return ModelFacts(
        # A model of one's own is known by its folder, and folders of the server are not told.
        name=PurePath(library.info().model_name).name,
        model_hash=model.model_hash,
        parameters=sum(weight.numel() for weight in model.network.parameters()),
        members=1 + len(model.config.members),
        dimension=model.dimension,
        temperature=1 / float(model.network.scale.detach()),
        sections=sections,
        representation=_representation(folder, model.model_hash, missing),
        history=_history(folder, model.model_hash, missing),
        missing=missing,
    )


def card_sections(markdown: str) -> dict[str, str]:
    """Text of a card by its headings of the second level."""
    found: dict[str, list[str]] = {"": []}
    heading, fenced = "", False
    for line in markdown.splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("## ") and not fenced:
            heading = line.removeprefix("## ").strip()
            found.setdefault(heading, [])
        elif fenced or not line.startswith("# "):
            found[heading].append(line)
    return {name: text for name, lines in found.items() if (text := "\n".join(lines).strip())}


def _representation(
    folder: Path | None, model_hash: str, missing: dict[str, str]
) -> dict[str, Any] | None:
    try:
        report = json.loads(_text(folder, REPRESENTATION))
        header, results = report["header"], report["results"]
        measured = header["model hash"]
        found = {"header": header, **results, "figures": results["figures"]}
    except OSError:
        missing["representation"] = (
            "These figures were not measured yet: `molclip evaluate representation --no-map "
            f"-o FOLDER` writes {REPRESENTATION}, which belongs beside the weights."
        )
        return None
    except (ValueError, KeyError, TypeError):
        missing["representation"] = f"{REPRESENTATION} beside the weights is damaged."
        return None
    if measured != model_hash:
        missing["representation"] = (
            f"The figures beside the weights are of other weights ({measured}) and are not shown."
        )
        return None
    return found


def _history(
    folder: Path | None, model_hash: str, missing: dict[str, str]
) -> list[dict[str, float]] | None:
    if folder is None:
        missing["history"] = "The model has no folder, so nothing is known of its run."
        return None
    try:
        owner = json.loads(_text(folder, SHIPPED))["model_hash"]
    except OSError:
        owner = model_hash
    except (ValueError, KeyError, TypeError):
        missing["history"] = f"{SHIPPED} beside the weights is damaged."
        return None
    if owner != model_hash:
        missing["history"] = (
            f"The curves beside the weights are of other weights ({owner}) and are not shown."
        )
        return None
    try:
        return run_records(folder)
    except InputError:
        missing["history"] = (
            f"No history of the run lies beside the weights: {SHIPPED} was not kept."
        )
        return None


def _text(folder: Path | None, name: str) -> str:
    if folder is None:
        raise FileNotFoundError(name)
    return (folder / name).read_text(encoding="utf-8")
