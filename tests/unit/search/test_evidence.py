"""Recorded or predicted, on a small ontology written by hand."""

import pytest

from molclip.datasets.ontology import Ontology, Term
from molclip.search.evidence import Closures, Evidence, plain_words, write_evidence


@pytest.fixture
def ontology():
    terms = [
        Term("C:1", "alkaloid", "class"),
        Term("C:2", "cinchona alkaloid", "class", parents=("C:1",)),
        Term("C:3", "beta-lactam antibiotic", "class", roles=("R:2",)),
        Term("C:4", "penicillins", "class", parents=("C:3",)),
        Term("R:1", "antimalarial", "role", parents=("R:4",)),
        Term("R:2", "antibacterial drug", "role", synonyms=("bactericide",)),
        Term("R:3", "drug", "role"),
        Term("C:5", "acid", "class"),
        Term("R:4", "antiparasitic agent", "role"),
        Term("M:1", "quinine", "molecule", parents=("C:2",), roles=("R:1",)),
    ]
    return Ontology({term.id: term for term in terms})


@pytest.fixture
def judge(tmp_path, ontology):
    lexicon = tmp_path / "lexicon.tsv"
    lexicon.write_text(
        "chebi_id\tname\tplain\nR:1\tantimalarial\tmalaria drug|used against malaria\n"
        "X:9\tunknown\tnothing\n",
        encoding="utf-8",
    )
    number = write_evidence(tmp_path, ontology, [lexicon])
    closures = Closures(ontology, number)
    evidence = Evidence(tmp_path)
    rows = {
        "quinine": closures.facts("M:1", ["C:2"], ["R:1"]),
        "ampicillin": closures.facts("M:2", ["C:4"], []),
    }

    def ask(text, row):
        return evidence.judge(rows[row], evidence.link(text))

    ask.link = evidence.link
    ask.describe = evidence.describe
    return ask


@pytest.mark.parametrize(
    ("text", "row", "verdict", "terms"),
    [
        ("an alkaloid", "quinine", "recorded", ["alkaloid"]),
        ("Alkaloids", "quinine", "recorded", ["alkaloid"]),
        ("alkaloid", "ampicillin", "predicted", []),
        ("bitter alkaloid used against malaria", "quinine", "recorded", None),
        ("alkaloid with antibacterial drug action", "quinine", "predicted", ["alkaloid"]),
        ("beta-lactam antibiotic", "ampicillin", "recorded", ["beta-lactam antibiotic"]),
        ("β-lactam antibiotics", "ampicillin", "recorded", ["beta-lactam antibiotic"]),
        # The class has the role, so its members do.
        ("bactericide", "ampicillin", "recorded", ["antibacterial drug"]),
        ("antiparasitic", "quinine", "recorded", ["antiparasitic agent"]),
        # "drug" is a role of the source, but asks for nothing beside something definite.
        ("antimalarial drug", "quinine", "recorded", ["antimalarial"]),
        ("blue crystals", "quinine", "predicted", []),
        ("not an alkaloid", "ampicillin", "predicted", []),
        ("not an alkaloid", "quinine", "predicted", []),
        ("antibacterial drug without a beta-lactam", "ampicillin", "recorded", None),
    ],
)
def test_verdicts(judge, text, row, verdict, terms):
    found, named = judge(text, row)
    assert found == verdict
    if terms is not None:
        assert named == terms


def test_longest_phrase_wins_and_the_rest_is_reported(judge):
    linked = judge.link("bitter cinchona alkaloid from bark")
    assert [part.phrase for part in linked.asked] == ["cinchona alkaloid"]
    assert linked.unlinked == ["bitter", "bark"]
    (described,) = judge.describe(linked)
    assert described == {
        "id": "C:2",
        "name": "cinchona alkaloid",
        "kind": "class",
        "phrase": "cinchona alkaloid",
    }


@pytest.mark.parametrize(
    ("text", "asked", "unlinked"),
    [
        ("an acid", ["acid"], []),
        ("bitter acid", [], ["bitter", "acid"]),
        ("bitter alkaloid and acid", ["alkaloid", "acid"], ["bitter"]),
    ],
)
def test_a_word_that_belongs_to_an_unknown_one_is_not_linked(judge, text, asked, unlinked):
    linked = judge.link(text)
    assert [part.phrase for part in linked.asked] == asked
    assert linked.unlinked == unlinked


@pytest.mark.parametrize(
    ("text", "asked", "excluded"),
    [
        ("antimalarial that is not an alkaloid", ["antimalarial"], ["alkaloid"]),
        ("alkaloid without any acid ring", ["alkaloid"], ["acid ring"]),
        ("neither an alkaloid nor an acid", [], ["alkaloid", "acid"]),
        ("antimalarial without alkaloid or acid used as drug", ["antimalarial", "drug"], None),
        ("acid-free alkaloid", ["alkaloid"], ["acid"]),
        ("non-acid alkaloid", ["alkaloid"], ["acid"]),
        ("not used as an antimalarial", [], ["antimalarial"]),
        ("alkaloid free of acid; drug", ["alkaloid", "drug"], ["acid"]),
        ("alkaloid other than cinchona alkaloid", ["alkaloid"], ["cinchona alkaloid"]),
        # Nitric oxide is no negation.
        ("NO alkaloid", ["alkaloid"], []),
        ("no alkaloid", [], ["alkaloid"]),
        ("not", [], []),
        ("without", [], []),
    ],
)
def test_what_is_excluded_is_not_asked_for(judge, text, asked, excluded):
    linked = judge.link(text)
    assert [part.phrase for part in linked.asked] == asked
    if excluded is not None:
        assert [part.phrase for part in linked.excluded] == excluded


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("alkaloid with no nitrogen", ("N",)),
        ("sulfur-free drug", ("S",)),
        ("alkaloid without chlorine atoms", ("Cl",)),
        ("alkaloid without halogens", ("F", "Cl", "Br", "I", "At")),
    ],
)
def test_elements_are_excluded(judge, text, elements):
    (excluded,) = judge.link(text).excluded
    assert (excluded.elements, excluded.terms) == (elements, ())


def test_only_what_is_understood_as_a_whole_is_excluded(judge):
    linked = judge.link("antimalarial without red alkaloid, no drug")
    assert linked.excluded == []
    assert linked.not_excluded == ["red alkaloid", "drug"]
    assert [part.phrase for part in linked.asked] == ["antimalarial"]


def test_molecules_are_no_terms(judge):
    assert judge.link("quinine").asked == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("β-Lactams", ["beta", "lactam"]),
        ("antibodies", ["antibody"]),
        ("glass virus basis", ["glass", "virus", "basis"]),
        ("HMG-CoA reductase", ["hmg", "coa", "reductase"]),
    ],
)
def test_words(text, words):
    assert plain_words(text) == words


def test_facts_follow_is_a_upwards(ontology, tmp_path):
    number = write_evidence(tmp_path, ontology, [])
    facts = Closures(ontology, number).facts("M:1", ["C:2"], ["R:1"])
    assert facts == sorted(number[id_] for id_ in ("C:1", "C:2", "R:1", "R:4"))
