"""Ranking labels in steps, and drawing the answer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from molclip.app import answers, labelling
from molclip.app.heatmap import heat_map
from molclip.app.labelling import Labelled, Labeller, small_enough
from molclip.app.labels import Label, read_labels
from molclip.app.limits import check_atoms
from molclip.app.typed import lines_of, read_typed

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.parse import parse_molecule
from molclip.chem.readers import Record
from molclip.errors import InputError
from molclip.models.zero_shot import NONE_OF_THESE

WORDS = {"east": (1.0, 0.0), "north": (0.0, 1.0), "up": (0.6, 0.8)}
MOLECULES = {"CCO": (1.0, 0.0), "c1ccccc1": (0.8, 0.6)}


class Model:
    """Vectors in a plane; counts what it was asked."""

    known_words = frozenset(WORDS)
    dimension = 2

    def __init__(self) -> None:
        self.read: list[str] = []
        self.limits: list[float] = []

    def encode_text(self, texts: list[str]) -> Any:
        self.read += texts
        return np.array([WORDS.get(text, (0.6, -0.8)) for text in texts], dtype=np.float32)

    def encode_molecules(self, items: list[Any], *, time_limit: float, total_limit: float) -> Any:
        assert time_limit <= 10
        self.limits.append(total_limit)
        read = [
            item if isinstance(item, ParseFailure) else parse_molecule(item.text, row=item.row)
            for item in items
        ]
        rows = [MOLECULES[i.smiles] if isinstance(i, Molecule) else (np.nan,) * 2 for i in read]
        return SimpleNamespace(vectors=np.array(rows, dtype=np.float32), molecules=read)


class Service:
    """A background of four molecules, and the names of one."""

    def __init__(self) -> None:
        self.library = SimpleNamespace(model=Model())
        angles = np.deg2rad([10, 30, 50, 70])
        self.background = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    def read_molecule(self, text: str) -> tuple[Any, str]:
        parsed = parse_molecule("CCO" if text == "alcohol" else text, name=text)
        if isinstance(parsed, ParseFailure):
            raise InputError(f"{text!r} is nothing.", "Try again.")
        return parsed, "Read."


def records(*texts: str) -> list[Record]:
    return [Record(file=None, row=n, id=None, name=None, text=t) for n, t in enumerate(texts, 1)]


def test_scores_and_percentiles_by_hand() -> None:
    labels = [Label("east", ("east",)), Label("both", ("east", "north"), own=True)]
    made = Labeller(Service()).classify(records("CCO", "C1CC(", "c1ccccc1"), labels, 0.9)  # type: ignore[arg-type]
    # Cosines with (1, 0) and (1, 1)/√2.
    root = np.sqrt(2)
    expected = np.array([[1, 1 / root], [np.nan, np.nan], [0.8, 1.4 / root]])
    np.testing.assert_allclose(made.result.scores, expected, rtol=1e-6)
    # Background cosines with "east": cos 10, 30, 50, 70 = .985 .866 .643 .342; with "both":
    # cos 35, 15, 5, 25 = .819 .966 .996 .906.
    assert made.result.percentiles is not None
    np.testing.assert_allclose(made.result.percentiles[[0, 2]], [[1, 0], [0.5, 0.75]])
    assert [item.row for item in made.result.molecules] == [1, 2, 3]
    assert made.result.answers == ["east", None, NONE_OF_THESE]


def test_a_label_that_denies_another_is_its_opposite() -> None:
    labels, _ = read_labels("east; not an east", ["{}"])
    service = Service()
    found = Labeller(service).vectors(labels)  # type: ignore[arg-type]
    np.testing.assert_array_equal(found, [[1, 0], [-1, 0]])
    assert service.library.model.read == ["east"]
    assert "<dt>not an east</dt><dd>the opposite of: east</dd>" in answers.sentences(labels)


def test_sentences_are_read_once() -> None:
    service = Service()
    labeller = Labeller(service)  # type: ignore[arg-type]
    first = labeller.vectors([Label("both", ("east", "north")), Label("east", ("east",))])
    again = labeller.vectors([Label("east", ("east",)), Label("both", ("east", "north"))])
    np.testing.assert_array_equal(first, again[::-1])
    assert service.library.model.read == ["east", "north"]


def test_strange_labels_are_never_the_answer() -> None:
    labels, _ = read_labels("blorp = east\nglimf\neast", ["{}"])
    made = Labeller(Service()).classify(records("CCO"), labels, 0.5)  # type: ignore[arg-type]
    # Only the label whose own sentences say nothing is strange.
    assert made.result.strange == {"glimf"}


def test_progress_and_the_end_of_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelling, "STEP", 2)
    labels = [Label("east", ("east",))]
    steps = list(Labeller(Service()).steps(records(*["CCO"] * 5), labels, 0.9))  # type: ignore[arg-type]
    assert steps[:-1] == [0, 2, 4]
    assert isinstance(steps[-1], Labelled)
    assert [item.row for item in steps[-1].result.molecules] == [1, 2, 3, 4, 5]
    monkeypatch.setattr(labelling, "SECONDS", -1.0)
    with pytest.raises(InputError, match="stopped after 0 of 5 molecules"):
        Labeller(Service()).classify(records(*["CCO"] * 5), labels, 0.9)  # type: ignore[arg-type]


def test_every_block_gets_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of a block that is late are failures; what was done before is not thrown away."""
    monkeypatch.setattr(labelling, "STEP", 2)
    service = Service()
    steps = Labeller(service).steps(records(*["CCO"] * 5), [Label("east", ("east",))], 0.9)  # type: ignore[arg-type]
    clock = iter([0.0, 0.0, 100.0, 130.0])
    monkeypatch.setattr(labelling.time, "monotonic", lambda: next(clock))
    *_, answer = steps
    assert isinstance(answer, Labelled)
    assert service.library.model.limits == [120.0, 20.0, -10.0]


def test_too_many_comparisons() -> None:
    labels = [Label(str(n), (str(n),)) for n in range(101)]
    with pytest.raises(InputError, match="202,000 comparisons; this page takes 200,000"):
        Labeller(Service()).classify(records(*["CCO"] * 2000), labels, 0.9)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("smiles", "atoms"),
    [
        ("C" * 301, 301),
        ("[2H]C([H])" + "Cl" * 299 + "[Na+].[13CH4]", 302),
        ("c1ccccc1" * 51, 306),
        ("*C[*:1]" * 101, 303),
    ],
)
def test_large_molecules_become_failures(smiles: str, atoms: int) -> None:
    from rdkit import Chem

    refused = small_enough(Record(file="f", row=7, id="A", name=None, text=smiles))
    assert isinstance(refused, ParseFailure)
    assert (refused.row, refused.id) == (7, "A")
    assert refused.reason == f"too large: {atoms} heavy atoms, this page takes 300."
    read = Chem.MolFromSmiles(smiles, sanitize=False)
    assert atoms == sum(atom.GetAtomicNum() != 1 for atom in read.GetAtoms())


@pytest.mark.parametrize("atoms", [300, 301])
@pytest.mark.parametrize("kind", ["V2000", "V3000", "windows", "inchi", "quoted"])
def test_mol_blocks_and_inchi_have_the_same_limit(kind: str, atoms: int) -> None:
    from rdkit import Chem

    mol = Chem.MolFromSmiles("[2H]" + "C" * (atoms - 1) + "[Na]")
    if kind in ("inchi", "quoted"):
        text = f"InChI=1S/C{atoms - 1}H{2 * atoms}.Na/c1-2"
        text = f"\ufeff'{text}'" if kind == "quoted" else text
    else:
        text = Chem.MolToMolBlock(mol, forceV3000=kind == "V3000")
    if kind == "windows":
        text = text.replace("\n", "\r\n")
    record = Record(file="f", row=7, id="A", name=None, text=text)
    refused = small_enough(record)
    if atoms == 300:
        assert refused is record
        return
    assert isinstance(refused, ParseFailure)
    assert refused.reason == "too large: 301 heavy atoms, this page takes 300."


def test_dummies_are_atoms() -> None:
    """300 of them would be no heavy atom at all to RDKit."""
    assert check_atoms(parse_molecule("*" * 300)) is not None  # type: ignore[arg-type]
    with pytest.raises(InputError, match="301 heavy atoms; this page takes 300"):
        check_atoms(parse_molecule("*" * 301))  # type: ignore[arg-type]


def test_lines_of_the_field() -> None:
    assert lines_of("CCO\n\n alcohol ") == ["CCO", "alcohol"]
    block = "\n  x\n\n  1  0  0  0  0  0  0  0  0  0999 V2000\n    0.0 0.0 0.0 C\nM  END"
    assert lines_of(block) == [block]
    items, said = read_typed(["CCO", "nothing", "alcohol"], Service())  # type: ignore[arg-type]
    assert [item.row for item in items] == [1, 2, 3]
    assert isinstance(items[1], ParseFailure)
    assert said == "3 molecules, 1 could not be read."
    with pytest.raises(InputError, match="is nothing"):
        read_typed(["nothing"], Service())  # type: ignore[arg-type]
    with pytest.raises(InputError, match="101 molecules; this field takes 100"):
        read_typed(["CCO"] * 101, Service())  # type: ignore[arg-type]


def test_heat_map_and_bars_escape_and_order() -> None:
    attack = "<img src=x>${1}"
    labels = [Label(attack, ("north",)), Label("east", ("east",))]
    made = Labeller(Service()).classify(records("CCO", "C1CC(", "c1ccccc1"), labels, 0.9)  # type: ignore[arg-type]
    shown = heat_map(made.result)
    assert "<img" not in shown
    assert "${" not in shown
    # "east" is the one answer, so it comes first.
    assert shown.index(">east<") < shown.index("&lt;img src=x&gt;")
    assert shown.count('<td class="mc-hot"') == 1
    assert "Not read." in shown
    one = Labeller(Service()).classify(records("CCO"), labels, 0.9)  # type: ignore[arg-type]
    for html in (answers.bars(one.result), answers.sentences(one.labels)):
        assert "<img" not in html
        assert "&lt;img src=x&gt;" in html


def test_many_labels_are_folded_and_chance_is_told() -> None:
    labels = [Label(f"label {n}", ("east",)) for n in range(40)]
    made = Labeller(Service()).classify(records("CCO"), labels, 0.95)  # type: ignore[arg-type]
    assert "28 more labels" in answers.bars(made.result)
    # 40 labels times one in twenty.
    assert "Of 40 labels, 2.0 reach percentile 95" in answers.summary([], 4, made.result)
