"""How labels are written, and the sets of labels."""

from __future__ import annotations

import pytest
from molclip.app.label_sets import label_set, label_sets
from molclip.app.labels import check_labels, labels_of, read_labels, read_templates

from molclip.errors import InputError


def test_labels_alone() -> None:
    labels, said = read_labels("solvent; dye\n\n azo  dye \nDye;", ["{}", "it is {a}"])
    assert [label.name for label in labels] == ["solvent", "dye", "azo dye"]
    assert labels[2].sentences == ("azo dye", "it is an azo dye")
    assert said == ["The label 'Dye' is given twice and counts once."]


def test_sentences_of_a_label() -> None:
    labels, _ = read_labels("sweetener = {a} | tastes sweet; very | {} in tea|tastes sweet; very")
    (label,) = labels
    assert label.own
    assert label.sentences == ("a sweetener", "tastes sweet; very", "sweetener in tea")


def test_a_double_bond_is_no_sign_of_sentences() -> None:
    labels, _ = read_labels("C=C compound\nC=O = carbonyl compound")
    assert [(label.name, label.own) for label in labels] == [("C=C compound", False), ("C=O", True)]
    assert labels[1].sentences == ("carbonyl compound",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a" * 151, "151 characters; this page takes 150"),
        ("dye = " + "b" * 401, "401 characters; this page takes 400"),
        ("dye = " + "|".join(map(str, range(13))), "has 13 sentences; this page takes 12"),
        (" = colours cloth", "no label before the ="),
        ("dye = | ", "no sentence behind its ="),
    ],
)
def test_labels_that_cannot_be_used(text: str, sentence: str) -> None:
    with pytest.raises(InputError) as raised:
        read_labels(text)
    assert sentence in raised.value.message


def test_no_labels_and_too_many() -> None:
    with pytest.raises(InputError, match="no labels yet"):
        check_labels(read_labels(" ;\n; ")[0])
    with pytest.raises(InputError, match="701 labels; this page takes 700"):
        check_labels(read_labels("\n".join(map(str, range(701))))[0])
    many, _ = read_labels("\n".join(map(str, range(601))), ["{}", "a {}", "b {}", "c {}", "d {}"])
    with pytest.raises(InputError, match="3,005 sentences; this page takes 3,000"):
        check_labels(many)


def test_templates() -> None:
    assert read_templates("  \n") == ()
    assert read_templates("{}\n\n smells   of {a} \n{}") == ("{}", "smells of {a}")
    with pytest.raises(InputError, match="no place for the label"):
        read_templates("a smell")
    with pytest.raises(InputError, match="There are 13 sentences"):
        read_templates("\n".join(f"{{}} {n}" for n in range(13)))


def test_sets_can_be_used_and_are_what_they_say() -> None:
    for found in label_sets().values():
        labels = labels_of(found)
        check_labels(labels)
        # As text they are the same labels again: what "Edit these" relies on.
        again, said = read_labels("\n".join(found.labels), found.templates)
        assert (again, said) == (labels, []), found.key
    # NPClassifier: Kim et al., J. Nat. Prod. 2021, 84, 2795: 7 pathways; its training set as
    # published names 70 superclasses and 652 classes.
    sizes = [len(label_set(f"npclassifier-{c}").labels) for c in ("pathway", "superclass", "class")]
    assert sizes == [7, 70, 652]
    assert len(label_set("odours").labels) == 138
    fruity = labels_of(label_set("odours"))[0]
    assert (fruity.name, fruity.sentences[1]) == ("fruity", "smells fruity")
    with pytest.raises(InputError, match="no set of labels 'nosuch'"):
        label_set("nosuch")


def test_roles_are_those_of_the_library() -> None:
    from molclip.data.build_label_sets import chebi_roles

    counted = chebi_roles()
    assert set(label_set("chebi-roles").labels) == {" ".join(name.split()) for name in counted}
    assert counted["herbicide"] >= 200
    assert "biological role" not in counted
