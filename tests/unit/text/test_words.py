"""Strange labels, by hand."""

import pytest

from molclip.text.words import (
    content_words,
    frequent_words,
    is_strange,
    read_words,
    unknown_words,
    write_words,
)

KNOWN = frozenset({"kinase", "inhibitor", "steroid", "drug"})


@pytest.mark.parametrize(
    ("text", "strange"),
    [
        ("kinase inhibitor", False),
        ("Steroids", False),
        ("railway timetable", True),
        ("drug for poets", False),
        ("poems about a drug for sailors", True),
        ("pH 7", False),
        ("", False),
    ],
)
def test_half_of_the_content_words_must_be_known(text, strange):
    assert is_strange(text, KNOWN) is strange


def test_content_words_leave_out_function_words_and_short_ones():
    assert content_words("A drug used for the Na+ channel, 3beta-form") == [
        "drug",
        "channel",
        "beta",
        "form",
    ]


def test_rare_words_are_not_known():
    assert frequent_words(["steroid"] * 5 + ["typo"] * 4) == ["steroid"]


def test_words_travel_with_a_model_folder(tmp_path):
    assert read_words(tmp_path) is None
    assert write_words(["alkaloid and steroid"] * 5, tmp_path) == 2
    assert read_words(tmp_path) == {"alkaloid", "steroid"}
    write_words(["typo"], tmp_path, ["painkiller used for cats"])
    assert read_words(tmp_path) == {"painkiller", "cats"}


def test_unknown_words_are_named_once_in_their_order():
    known = frozenset({"acid", "steroid"})
    assert unknown_words("Steroids and zorbic acid, zorbic kerof", known) == ["zorbic", "kerof"]
    assert unknown_words("pH 7", known) == []
