"""Texts of several sentences: mixed by hand, and left alone where the model says so."""

import numpy as np
import pytest

from molclip.models.molclip import MolCLIP

WHOLE = "The molecule is a steroid. It has a role as a hormone. It is a ketone."
PARTS = ["The molecule is a steroid.", "It has a role as a hormone.", "It is a ketone."]


@pytest.fixture(scope="module")
def built_in():
    return MolCLIP.from_pretrained()


def _with(model, weight, first=0.0):
    weights = {"sentence_weight": weight, "first_sentence_weight": first}
    text = model.config.text.model_copy(update=weights)
    return MolCLIP(model.config.model_copy(update={"text": text}), model.network, model.tokenizer)


def test_a_long_text_is_its_whole_and_the_mean_of_its_sentences(built_in):
    plain, mixing = _with(built_in, 0.0), _with(built_in, 0.5)
    whole = plain.encode_text(WHOLE)[0]
    expected = whole + 0.5 * plain.encode_text(PARTS).mean(0)
    expected /= np.linalg.norm(expected)
    np.testing.assert_allclose(mixing.encode_text(WHOLE)[0], expected, atol=1e-5)


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_the_first_sentence_counts_besides(built_in, weight):
    plain, mixing = _with(built_in, 0.0), _with(built_in, weight, 0.4)
    parts = plain.encode_text(PARTS)
    expected = plain.encode_text(WHOLE)[0] + weight * parts.mean(0) + 0.4 * parts[0]
    expected /= np.linalg.norm(expected)
    np.testing.assert_allclose(mixing.encode_text(WHOLE)[0], expected, atol=1e-5)


def test_neighbours_do_not_matter(built_in):
    mixing = _with(built_in, 1.0, 0.5)
    texts = ["penicillin", WHOLE, "a dye. It is blue.", "steroid"]
    together = mixing.encode_text(texts)
    for row, text in enumerate(texts):
        np.testing.assert_allclose(together[row], mixing.encode_text(text)[0], atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_a_single_sentence_and_features_stay_as_they_are(built_in):
    plain, mixing = _with(built_in, 0.0), _with(built_in, 1.0)
    np.testing.assert_array_equal(
        plain.encode_text("steroid hormone"), mixing.encode_text("steroid hormone")
    )
    np.testing.assert_array_equal(
        plain.encode_text(WHOLE, features=True), mixing.encode_text(WHOLE, features=True)
    )


def test_what_lies_behind_the_cut_still_counts(built_in):
    mixing = _with(built_in, 1.0)
    filler = " ".join(["It is a compound of some size and of no special colour."] * 30)
    with pytest.warns(UserWarning, match="pieces"):
        found = mixing.encode_text([f"{filler} It is a {end}." for end in ("penicillin", "sterol")])
    assert np.abs(found[0] - found[1]).max() > 1e-4
