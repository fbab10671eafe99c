"""The tokenizer keeps names and locants short, counts losses, and is a transformers tokenizer."""

import pytest

from molclip.errors import ModelError
from molclip.text.tokenizer import END, START, TextTokenizer, train_tokenizer

TEXTS = [
    "The molecule is a 3beta-hydroxy steroid.",
    "The molecule is 5,7-dihydroxyflavone, a flavone.",
    "It has a role as an antimalarial and a plant metabolite.",
] * 20


@pytest.fixture(scope="module")
def tokenizer():
    return TextTokenizer(train_tokenizer(TEXTS, 300), max_tokens=12)


def pieces(tokenizer, text):
    return tokenizer.tokenizer.encode(text).tokens[1:-1]


def test_locants_stand_alone(tokenizer):
    assert pieces(tokenizer, "3beta-hydroxy") == ["3", "beta", "-", "hydroxy"]
    assert pieces(tokenizer, "5,7") == ["5", ",", "7"]


def test_case_and_typographic_dashes_make_no_difference(tokenizer):
    first = tokenizer.encode(["3BETA\u2010Hydroxy"])[0]
    assert first.ids == tokenizer.encode(["3beta-hydroxy"])[0].ids


def test_a_long_text_is_cut_and_counted(tokenizer):
    encoded = tokenizer.encode(["steroid " * 20])[0]
    assert len(encoded.ids) == 12
    assert encoded.dropped == 22 - 12
    assert encoded.ids[0] == tokenizer.tokenizer.token_to_id(START)
    assert encoded.ids[-1] == tokenizer.tokenizer.token_to_id(END)


def test_unknown_characters_are_counted(tokenizer):
    assert tokenizer.encode(["steroid"])[0].unknown == 0
    assert tokenizer.encode(["漢字 steroid"])[0].unknown > 0


def test_the_same_texts_give_the_same_vocabulary():
    vocabularies = [train_tokenizer(TEXTS, 200).get_vocab() for _ in range(2)]
    assert vocabularies[0] == vocabularies[1]


def test_transformers_reads_it(tokenizer, tmp_path):
    from transformers import AutoTokenizer

    tokenizer.save(tmp_path)
    loaded = AutoTokenizer.from_pretrained(tmp_path)
    text = "a 3beta-hydroxy steroid"
    assert loaded(text)["input_ids"] == tokenizer.encode([text])[0].ids
    assert loaded.pad_token_id == tokenizer.pad_id


def test_a_folder_without_tokenizer_is_refused(tmp_path):
    with pytest.raises(ModelError, match="tokenizer"):
        TextTokenizer.load(tmp_path, 10)
