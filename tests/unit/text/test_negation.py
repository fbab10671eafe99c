"""What a question excludes is told from what it asks for, and names stay whole."""

import pytest

from molclip.text.negation import negated_label, split_negation


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("alkaloid that is not a steroid", "alkaloid", "steroid"),
        ("alkaloids which are not steroids", "alkaloids", "steroids"),
        ("The molecule is an antibiotic, but not a beta-lactam.", "The molecule is an antibiotic",
         "beta-lactam"),
        ("drug with two rings but no nitrogen", "drug with two rings", "nitrogen"),
        ("antibiotic without fluorine", "antibiotic", "fluorine"),
        ("sweetener, not a sugar", "sweetener", "sugar"),
        ("insecticide other than an organophosphate", "insecticide", "organophosphate"),
        ("terpene that does not contain oxygen", "terpene", "oxygen"),
        ("dye that has no azo group", "dye", "azo group"),
        ("Painkiller EXCEPT FOR any opioid?", "Painkiller", "opioid"),
        ("acid without being an amino acid", "acid", "amino acid"),
        ("sugar without nitrogen that is not a glycoside", "sugar", "nitrogen, glycoside"),
        ("compound without a halogen used as a herbicide", "compound used as a herbicide", "halogen"),
        ("dye that is neither a salt nor an acid", "dye", "salt, acid"),
        ("solvent devoid of halogen", "solvent", "halogen"),
        ("drug that is free from sulfur", "drug", "sulfur"),
        ("hormone that is not a steroid, nor is it a peptide", "hormone", "steroid, peptide"),
        ("sweetener free from nitrogen", "sweetener", "nitrogen"),
        ("drug that is not a steroid, for asthma", "drug for asthma", "steroid"),
    ],
)  # fmt: skip
def test_questions_are_taken_apart(text, wanted, unwanted):
    assert split_negation(text) == (wanted, unwanted)


@pytest.mark.parametrize(
    "text",
    [
        "non-steroidal anti-inflammatory drug",
        "not a steroid",
        "without fluorine",
        "alkaloid that is not a",
        "alkaloid without ...",
        "norethisterone",
        "dye devoid of",
        "dye that is not used for wool",
        "antibiotic but not only against bacteria",
        "nothofagin",
        "a notable antibiotic",
        "",
        "The molecule is a steroid without a side chain. It is a hormone.",
        " ".join(["long", *["word"] * 24, "without", "fluorine"]),
    ],
)
def test_everything_else_stays_whole(text):
    assert split_negation(text) is None


@pytest.mark.parametrize(
    ("label", "denied"),
    [
        ("not an opioid", "opioid"),
        (" Not a steroid", "steroid"),
        ("is not aromatic", "aromatic"),
        ("not any dye", "dye"),
        ("non-opioid analgesic", None),
        ("nothing", None),
        ("not", None),
        ("not an", None),
        ("not the opioid", "opioid"),
        ("are not opioids", "opioids"),
        ("not only an opioid", None),
        ("not without sulfur", None),
        ("not unsaturated", None),
        ("not a steroid but an alkaloid", None),
        ("not a steroid and not an alkaloid", None),
        ("notch inhibitor", None),
        ("opioid that is not a steroid", None),
    ],
)
def test_labels_that_deny_another(label, denied):
    assert negated_label(label) == denied


def test_spaces_cost_no_time():
    """Collapsed first: ten thousand of them took minutes."""
    assert split_negation("dye" + " " * 10_000 + "that is not" + " " * 10_000 + "a salt") == (
        "dye",
        "salt",
    )
