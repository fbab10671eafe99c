"""Questions that exclude something, mixed by hand, and left alone where the model says so."""

import numpy as np
import pytest

from molclip.models.molclip import MolCLIP

QUESTION = "alkaloid that is not a steroid"


@pytest.fixture(scope="module")
def built_in():
    return MolCLIP.from_pretrained()


def _with(model, weight):
    text = model.config.text.model_copy(update={"negation_weight": weight})
    return MolCLIP(model.config.model_copy(update={"text": text}), model.network, model.tokenizer)


def test_what_is_excluded_is_taken_off(built_in):
    plain, reading = _with(built_in, 0.0), _with(built_in, 0.3)
    wanted, unwanted = plain.encode_text(["alkaloid", "steroid"])
    expected = wanted - 0.3 * unwanted
    expected /= np.linalg.norm(expected)
    np.testing.assert_allclose(reading.encode_text(QUESTION)[0], expected, atol=1e-5)
    # Which brings it further from what is excluded than the words themselves do.
    assert expected @ unwanted < plain.encode_text(QUESTION)[0] @ unwanted


def test_other_texts_and_neighbours_do_not_matter(built_in):
    plain, reading = _with(built_in, 0.0), _with(built_in, 0.3)
    texts = ["penicillin", QUESTION, "a dye. It is not blue.", "not a steroid"]
    together = reading.encode_text(texts)
    np.testing.assert_allclose(together[1], reading.encode_text(QUESTION)[0], atol=1e-5)
    for row in (0, 2, 3):
        np.testing.assert_allclose(together[row], plain.encode_text(texts[row])[0], atol=1e-5)
    np.testing.assert_array_equal(
        reading.encode_text(QUESTION, features=True), plain.encode_text(QUESTION, features=True)
    )


def test_the_built_in_model_reads_negation(built_in):
    assert built_in.config.text.negation_weight > 0
