"""What is known of the model as HTML: tiles, curves, sections of its card."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from . import markup
from .curves import chart
from .markup import number, text

if TYPE_CHECKING:
    from .model_facts import ModelFacts

_CURVES = (
    ("Loss, nats", {"loss": "loss", "objective_loss": "contrastive part"}),
    (
        "Retrieval on validation text",
        {"validation mrr": "MRR", "validation hits@1": "Hits@1", "validation hits@10": "Hits@10"},
    ),
    ("Temperature", {"temperature": "temperature"}),
)
_RESULTS, _TRAINING = "Figures", "Training"


def head(facts: ModelFacts) -> str:
    """Name and size."""
    millions = number(facts.parameters / 1e6, 1)
    members = f" in {facts.members} members" if facts.members > 1 else ""
    return (
        '<div class="mc-summary"><p class="mc-read">Text and molecules on one unit sphere of '
        f"{facts.dimension} dimensions; {millions} million parameters{members}.</p>"
        f'<p class="mc-facts">Model: {text(facts.name)} · hash <code>{text(facts.model_hash)}'
        "</code> · not for clinical, legal or safety decisions</p></div>"
    )


def geometry(facts: ModelFacts) -> str:
    """Temperature, alignment, uniformity, rank and gap, each beside that of random vectors."""
    held = facts.representation
    tiles = [
        _tile(
            "Temperature",
            number(facts.temperature, 4),
            "cosines are divided by it in training: the lower, the more the hardest negatives count",
        )
    ]
    if held is None:
        return _section(
            "How texts and molecules lie",
            f'<ul class="mc-tiles">{"".join(tiles)}</ul>'
            + markup.message("empty", "Not measured.", facts.missing["representation"]),
        )
    found, random = held["figures"], held["random"]
    width = found["dimension"]
    tiles += [
        _tile(
            "Alignment",
            number(found["alignment"], 3),
            "mean squared distance of a text and its molecule; 0 where they coincide",
            f"random vectors: {number(random['alignment'], 2)}",
        ),
        _tile(
            "Uniformity",
            _both(found, "uniformity", 2),
            "how evenly the sphere is used; lower is more even",
            f"random vectors: {number(random['uniformity_text'], 2)}",
        ),
        _tile(
            "Effective rank",
            _both(found, "effective_rank", 0),
            f"directions in use, of {width}",
            f"random vectors: {number(random['effective_rank_text'], 0)}",
        ),
        _tile(
            "Modality gap",
            number(found["modality_gap"], 3),
            "distance between the mean text and the mean molecule",
            f"random vectors: {number(random['modality_gap'], 2)}",
        ),
        _tile(
            "Hardest negative",
            number(held["hardest_negative"], 2),
            f"its share of the softmax over {held['negatives']:,.0f} others; "
            f"{number(held['effective_negatives'], 0)} take part in effect",
        ),
    ]
    header = held["header"]
    protocol = f"Measured on {header.get('data set', '')}: {header.get('pairs', '')}."
    return _section(
        "How texts and molecules lie",
        f'<ul class="mc-tiles">{"".join(tiles)}</ul><p class="mc-facts">{text(protocol)}</p>',
    )


def training_curves(facts: ModelFacts) -> str:
    """Loss, retrieval and temperature by epoch."""
    title = "The training run"
    if facts.history is None:
        return _section(title, markup.message("empty", "No curves.", facts.missing["history"]))
    drawn = ""
    reach = (facts.history[0]["epoch"], facts.history[-1]["epoch"])
    for name, numbers in _CURVES:
        lines = {
            shown: points
            for key, shown in numbers.items()
            if (points := [(r["epoch"], r[key]) for r in facts.history if key in r])
        }
        if lines:
            drawn += chart(name, lines, "epoch", reach)
    last = facts.history[-1]
    steps = f", {last['step']:,.0f} steps" if "step" in last else ""
    whose = f" of the first of {facts.members} members" if facts.members > 1 else ""
    return _section(
        title,
        f'<div class="mc-charts">{drawn}</div>'
        f'<p class="mc-facts">Up to epoch {last["epoch"]:g}{steps}{whose}. Retrieval: text to molecule on '
        "a sample of validation text over the whole pool, pessimistic ties.</p>",
    )


def results(facts: ModelFacts) -> str:
    """The card's tables of results."""
    if _RESULTS not in facts.sections:
        said = facts.missing.get("card", "The card of this model has no section of that name.")
        return _section("Results", markup.message("empty", "No results.", said))
    return _section("Results", markdown(facts.sections[_RESULTS]))


def training(facts: ModelFacts) -> str:
    """What the model was trained on, as its card says."""
    names = [name for name in facts.sections if name.startswith(_TRAINING)]
    if not names:
        said = facts.missing.get("card", "The card of this model does not say.")
        return _section("What it was trained on", markup.message("empty", "Not known.", said))
    return _section("What it was trained on", "".join(markdown(facts.sections[n]) for n in names))


def rest(facts: ModelFacts) -> str:
    """Every other section of the card."""
    return "".join(
        _section(name, markdown(content))
        for name, content in facts.sections.items()
        if name and name != _RESULTS and not name.startswith(_TRAINING)
    )


def markdown(source: str) -> str:
    """HTML of a card's Markdown; HTML in it stays text, tables scroll on narrow pages."""
    shown: str = _parser().render(source)
    shown = shown.replace(
        "<table>", '<div class="mc-wide" tabindex="0" role="region" aria-label="Table"><table>'
    )
    shown = shown.replace("</table>", "</table></div>")
    return f'<div class="mc-card-text">{markup.literal(shown)}</div>'


@cache
def _parser() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table")


def _tile(name: str, value: str, what: str, beside: str = "") -> str:
    more = f"<small>{text(beside)}</small>" if beside else ""
    return (
        f'<li class="mc-tile"><strong>{text(name)}</strong><span class="mc-tile-value">{value}</span>'
        f"<span>{text(what)}</span>{more}</li>"
    )


def _both(found: dict[str, Any], key: str, digits: int) -> str:
    one, other = (number(found[f"{key}_{side}"], digits) for side in ("text", "molecule"))
    return "".join(
        f'<span class="mc-pair">{value} <em>{side}</em></span>'
        for value, side in ((one, "texts"), (other, "molecules"))
    )


def _section(title: str, inner: str) -> str:
    return f'<section class="mc-section"><h2>{text(title)}</h2>{inner}</section>'
