"""The representation study as a report: figures beside random vectors, examples, plots."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from molclip.evaluation.plots import Plot, curves
from molclip.evaluation.report import Report, Table, versions
from molclip.evaluation.representation import COLLAPSED_BELOW, SAMPLE
from molclip.evaluation.representation_map import OTHER
from molclip.evaluation.representation_study import (
    MOLECULE_TO_MOLECULE,
    TEXT_TO_MOLECULE,
    Map,
    Study,
)
from molclip.evaluation.temperature import TemperatureStudy

# Okabe and Ito's colours, told apart by most people; grey is for the rest.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a900", "#7a4fb5")
_GREY = "#b9c0c8"
_SHOWN_TEMPERATURES = (0.01, 0.02, 0.05, 0.07, 0.1, 0.2, 0.5)
_QUERY_LETTERS, _NAME_LETTERS = 110, 30


def representation_report(study: Study, *, model: str, model_hash: str, command: str) -> Report:
    """Return the report of one study.

    Parameters
    ----------
    study
        What `study_representation` gave.
    model
        Name or folder of the model, as the user gave it.
    model_hash
        Of its weights.
    command
        The command line that reproduces the report.
    """
    pairs, figures = study.pairs, study.figures
    left_out = f"; {study.left_out} left out, not embedded" if study.left_out else ""
    header: dict[str, str | float | None] = {
        "data set": pairs.name,
        "pairs": f"{figures.pairs:,}, {pairs.text_variant}{left_out}",
        "dimensions": figures.dimension,
        "temperature": f"{study.temperature:.4f}, the model's",
        "uniformity": f"t = 2, over all pairs of at most {SAMPLE:,} rows",
        "hubness": f"neighbours among the {figures.pairs:,}, k = "
        f"{study.hubs[TEXT_TO_MOLECULE].k}, exact",
        "collapsed": f"deviation under {COLLAPSED_BELOW:g}/√D",
        "random": "uniform random unit vectors, as many and as long",
        "seed": study.seed,
        "model": model,
        "model hash": model_hash,
        "files": "; ".join(pairs.files) or None,
        "command": command,
        "versions": versions(),
    }
    tables = [
        _figures(study),
        _hubs(study),
        _negatives(study),
        _temperatures(study.random),
        _examples(study, TEXT_TO_MOLECULE, "Nearest molecules of texts drawn at random"),
        _examples(study, MOLECULE_TO_MOLECULE, "Nearest molecules of molecules drawn at random"),
    ]
    return Report("Representation", header, tables, _results(study), _notes(study), _plots(study))


def _figures(study: Study) -> Table:
    found, random = study.figures, study.reference

    def row(name: str, text: float | None, molecule: float | None, of: float) -> list[str]:
        return [name, *("" if v is None else f"{v:.3f}" for v in (text, molecule, of))]

    def two(name: str, key: str) -> list[str]:
        text, molecule = (getattr(found, f"{key}_{side}") for side in ("text", "molecule"))
        return row(name, text, molecule, getattr(random, f"{key}_text"))

    both = [
        ["Alignment", f"{found.alignment:.3f}", "", f"{random.alignment:.3f}"],
        ["Modality gap", f"{found.modality_gap:.3f}", "", f"{random.modality_gap:.3f}"],
    ]
    return Table(
        "Geometry (alignment and gap are of both modalities)",
        ["", "text", "molecule", "random"],
        [
            *both,
            two("Uniformity", "uniformity"),
            two("Effective rank", "effective_rank"),
            two("Share of collapsed dimensions", "collapsed"),
        ],
    )


def _hubs(study: Study) -> Table:
    k = study.hubs[TEXT_TO_MOLECULE].k
    rows = []
    for name, hubs in study.hubs.items():
        random = study.reference_hubs[name]
        rows.append(
            [
                name,
                f"{hubs.skewness:.2f}",
                f"{random.skewness:.2f}",
                f"{hubs.largest:,}",
                f"{hubs.never:.1%}",
            ]
        )
    return Table(
        f"Hubness: how often a point is among the first {k}",
        ["queries → points", "skewness", "random", "most often", "never"],
        rows,
    )


def _negatives(study: Study) -> Table:
    hard = study.hard
    return Table(
        f"Negatives at temperature {study.temperature:.4f}, {hard.negatives:,.0f} for each pair",
        ["", ""],
        [
            ["Weight of the hardest negative", f"{hard.hardest:.3f}"],
            ["Effective number of negatives (exp of entropy)", f"{hard.effective:,.1f}"],
            ["Cross-entropy, nats", f"{study.loss:.3f}"],
            [
                f"InfoNCE bound, nats (at most log N = {np.log(study.figures.pairs):.2f})",
                f"{study.bound:.3f}",
            ],
        ],
    )


def _temperatures(random: TemperatureStudy) -> Table:
    by_place = {(p.dimension, p.temperature): p for p in random.points}
    dimensions = [spread.dimension for spread in random.spreads]
    rows = [
        ["σ of cosines", *(f"{s.measured:.4f}" for s in random.spreads)],
        ["1/√D", *(f"{s.expected:.4f}" for s in random.spreads)],
    ]
    for temperature in _SHOWN_TEMPERATURES:
        cells = [by_place[dimension, temperature] for dimension in dimensions]
        rows.append([f"τ = {temperature:g}", *(f"{p.entropy:.2f} / {p.top:.3f}" for p in cells)])
    return Table(
        f"Random vectors: entropy in nats / top-1 weight of the softmax over "
        f"{random.candidates:,} (log = {np.log(random.candidates):.2f})",
        ["", *(f"D = {dimension}" for dimension in dimensions)],
        rows,
    )


def _examples(study: Study, kind: str, title: str) -> Table:
    rows = []
    ranked = False
    for example in study.examples:
        if example.kind != kind:
            continue
        nearest = "\n".join(
            f"{score:.2f} {_cut(name, _NAME_LETTERS)}" for name, score in example.nearest
        )
        row = [_cut(example.query, _QUERY_LETTERS), nearest]
        if example.rank is not None:
            row.append(f"{example.rank:,}")
            ranked = True
        rows.append(row)
    columns = ["query", "nearest molecules, with cosine", *(["own rank"] if ranked else [])]
    return Table(title, columns, rows, left=frozenset({0, 1}))


def _notes(study: Study) -> list[str]:
    notes = [
        "Lower alignment and lower uniformity are better; each alone is easy to have.",
        "The bound saturates at log N and cannot compare samples of different sizes.",
    ]
    if study.map is not None:
        notes.append("In the t-SNE map only near neighbours mean something, distances do not.")
    return notes


def _results(study: Study) -> dict[str, Any]:
    return {
        "figures": asdict(study.figures),
        "random": asdict(study.reference),
        "hubness": {name: asdict(hubs) for name, hubs in study.hubs.items()},
        "random_hubness": {name: asdict(hubs) for name, hubs in study.reference_hubs.items()},
        "temperature": study.temperature,
        "hardest_negative": study.hard.hardest,
        "effective_negatives": study.hard.effective,
        "negatives": study.hard.negatives,
        "cross_entropy": study.loss,
        "information_bound": study.bound,
        "by_temperature": [asdict(point) for point in study.by_temperature],
        "temperature_study": study.random.to_dict(),
        "singular_values": {name: values.tolist() for name, values in study.spectra.items()},
        "examples": [asdict(example) for example in study.examples],
        "left_out": study.left_out,
    }


def _plots(study: Study) -> list[Plot]:
    plots = [] if study.map is None else [_class_map(study.map), _gap_map(study.map)]
    return [*plots, _cosines(study), _spectrum(study), *_against_temperature(study)]


def _class_map(drawn: Map) -> Plot:
    # The rest is drawn first, under the groups.
    groups = sorted(set(drawn.groups), key=lambda g: (g != OTHER, -drawn.groups.count(g), g))
    traces = []
    colours = iter(_COLOURS)
    for group in groups:
        rows = [row for row, own in enumerate(drawn.groups) if own == group]
        points = drawn.molecules[rows]
        colour = _GREY if group == OTHER else next(colours)
        names = [drawn.names[row] for row in rows]
        traces.append(_points(group, points, names, colour))
    return Plot("Molecules, t-SNE, by class", traces, _bare("", ""), height=620)


def _gap_map(drawn: Map) -> Plot:
    count = len(drawn.names)
    traces = [
        _points("texts", drawn.both[:count], drawn.names, _COLOURS[1]),
        _points("molecules", drawn.both[count:], drawn.names, _COLOURS[0]),
    ]
    titles = [
        f"component {number} ({share:.1%} of the variance)"
        for number, share in enumerate(drawn.explained, start=1)
    ]
    return Plot("Texts and molecules, first principal components", traces, _bare(*titles), 520)


def _points(name: str, points: Any, names: Sequence[str], colour: str) -> dict[str, Any]:
    return {
        # Thousands of points are slow as SVG.
        "type": "scattergl",
        "mode": "markers",
        "name": name,
        "x": np.round(points[:, 0].astype(float), 3).tolist(),
        "y": np.round(points[:, 1].astype(float), 3).tolist(),
        "text": [_cut(text, 80) for text in names],
        "hovertemplate": "%{text}",
        "marker": {"size": 5, "opacity": 0.75, "color": colour},
    }


def _bare(x: str, y: str) -> dict[str, Any]:
    return {"xaxis": {"title": {"text": x}}, "yaxis": {"title": {"text": y}}}


def _cosines(study: Study) -> Plot:
    edges = np.linspace(-1, 1, 81)
    middles = ((edges[1:] + edges[:-1]) / 2).tolist()
    traces = []
    sides = (("strangers", study.strangers, _GREY), ("partners", study.partners, _COLOURS[0]))
    for name, values, colour in sides:
        counts, _ = np.histogram(values, edges)
        traces.append(
            {
                "type": "bar",
                "name": name,
                "x": middles,
                "y": (counts / len(values)).tolist(),
                "marker": {"color": colour},
                "opacity": 0.75,
            }
        )
    layout = _bare("cosine", "share") | {"barmode": "overlay", "bargap": 0}
    return Plot("Cosine of a text with its molecule, and with another one", traces, layout)


def _spectrum(study: Study) -> Plot:
    lines = {
        name: (list(range(1, len(values) + 1)), values.tolist())
        for name, values in study.spectra.items()
    }
    plot = curves("Singular values over the largest", {**lines}, "number", "share")
    plot.layout["yaxis"]["type"] = "log"
    return plot


def _against_temperature(study: Study) -> list[Plot]:
    random = study.random
    entropies, tops = {}, {}
    for spread in random.spreads:
        points = [p for p in random.points if p.dimension == spread.dimension]
        taus = [p.temperature for p in points]
        entropies[f"D = {spread.dimension}"] = (taus, [p.entropy for p in points])
        tops[f"D = {spread.dimension}"] = (taus, [p.top for p in points])
    of = f"of the softmax over {random.candidates:,} random vectors"
    taus = [point.temperature for point in study.by_temperature]
    model = {
        "this model": (taus, [point.effective for point in study.by_temperature]),
        "at its temperature": ([study.temperature], [study.hard.effective]),
    }
    effective = curves(
        "Effective number of negatives", {**model}, "temperature", "negatives", logarithmic=True
    )
    effective.layout["yaxis"]["type"] = "log"
    return [
        effective,
        curves(f"Entropy {of}", {**entropies}, "temperature", "nats", logarithmic=True),
        curves(f"Top-1 weight {of}", {**tops}, "temperature", "weight", logarithmic=True),
    ]


def _cut(text: str, letters: int) -> str:
    return textwrap.shorten(text, letters, placeholder=" …") if " " in text else text[:letters]
