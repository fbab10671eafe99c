"""What is learned beside the contrast: features from vectors, and short questions."""

import random

import numpy as np
import pytest
import torch
from negatives_fakes import Tree, made_pairs
from training_fakes import tiny_config, tiny_network, tiny_pairs, tiny_tokenizer

from molclip.text.captions import ROLE
from molclip.text.facts import MoleculeFacts
from molclip.training.label_questions import ask
from molclip.training.preparing import Ahead, Place
from molclip.training.reconstruction import FeatureDecoder
from molclip.training.trainer import Trainer


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    return tiny_pairs(tmp_path_factory.mktemp("features"))


def _trainer(folder, pairs, **sections):
    folder.mkdir(exist_ok=True)
    config = tiny_config(folder, **sections)
    tokenizer = tiny_tokenizer(pairs)
    return Trainer(config, tiny_network(config, tokenizer), tokenizer, pairs, folder)


# -- features ------------------------------------------------------------------------------------


def test_the_decoder_reads_what_is_neither_everywhere_nor_nowhere(pairs):
    decoder = FeatureDecoder(pairs, 8, seed=0)
    present = pairs.store.dense(pairs.feature_rows) > 0
    share = present.mean(0)
    assert decoder.columns.tolist() == np.flatnonzero((share > 0.01) & (share < 0.99)).tolist()
    np.testing.assert_allclose(decoder.prior.numpy(), share[decoder.columns.numpy()], rtol=1e-6)


def test_features_are_learned_from_both_towers(tmp_path, pairs):
    trainer = _trainer(
        tmp_path,
        pairs,
        objective={"reconstruction": 1.0},
        optimizer={"learning_rate": 0.02},
        run={"epochs": 30, "evaluate_every": 0},
    )
    numbers = []
    trainer.report = lambda n: numbers.append(n) if "missing_text" in n and "step" in n else None
    trainer.train()
    for view in ("missing_text", "missing_molecule"):
        assert numbers[-1][view] < 0.8 * numbers[0][view]
    assert trainer.decoder is not None
    assert "decoder" not in "".join(trainer.averaged.state_dict())


def test_a_run_that_goes_on_has_the_decoder_it_had(tmp_path, pairs):
    settings = {"objective": {"reconstruction": 1.0}, "run": {"epochs": 2, "evaluate_every": 0}}
    whole = _trainer(tmp_path / "whole", pairs, **settings)
    whole.train()
    first = _trainer(tmp_path / "part", pairs, **settings)
    first.run = first.run.model_copy(update={"max_steps": 2})
    first.train()
    second = _trainer(tmp_path / "part", pairs, **settings)
    second.train()
    for name, weight in whole.decoder.state_dict().items():
        torch.testing.assert_close(second.decoder.state_dict()[name], weight)
    for name, weight in whole.network.state_dict().items():
        torch.testing.assert_close(second.network.state_dict()[name], weight)


# -- questions -----------------------------------------------------------------------------------


@pytest.fixture
def labelled(tmp_path):
    terms = Tree({"CHEBI:7": (ROLE,), "CHEBI:8": (), "CHEBI:9": ("CHEBI:8",)})
    facts = [
        MoleculeFacts(names=("a",), classes=("CHEBI:9",), roles=("CHEBI:7",)),
        MoleculeFacts(names=("b",), classes=("CHEBI:8",), labels=(("odour", "fruity"),)),
        MoleculeFacts(names=("c",), roles=("CHEBI:7",)),
        MoleculeFacts(names=("d",)),
    ]
    molecules = [(f"m{i}", f"[SiH3]{'C' * (i + 1)}O", fact) for i, fact in enumerate(facts)]
    return made_pairs(tmp_path / "features", molecules, terms=terms)


def test_every_holder_of_a_label_is_marked(labelled):
    asked = {}
    for seed in range(40):
        texts, holds = ask(labelled, np.arange(4), 40, random.Random(seed))
        assert holds.shape == (len(texts), 4)
        asked |= dict(zip(texts, map(tuple, holds.tolist()), strict=True))
    # A role of two, a class with the one below it, that one alone, and an odour.
    assert set(asked.values()) == {
        (True, False, True, False),
        (True, True, False, False),
        (True, False, False, False),
        (False, True, False, False),
    }
    assert all(holds[1] for text, holds in asked.items() if "fruity" in text)


def test_two_things_asked_at_once_are_held_by_who_holds_both(labelled):
    both = {}
    for seed in range(60):
        texts, holds = ask(labelled, np.arange(4), 40, random.Random(seed))
        both |= {
            text: tuple(row)
            for text, row in zip(texts, holds.tolist(), strict=True)
            if "7" in text and "9" in text
        }
    # The role is held by the first and the third, the class by the first alone.
    assert both
    assert set(both.values()) == {(True, False, False, False)}


def test_a_label_of_the_whole_batch_is_not_asked(labelled):
    texts, holds = ask(labelled, np.array([0, 2]), 40, random.Random(1))
    assert not holds.all(1).any()
    assert len(texts) == 2  # both classes of the first row; both rows have the role


def test_questions_enter_the_loss_and_the_log(tmp_path, labelled):
    config = tiny_config(
        tmp_path, captions={"questions": 8}, run={"batch_size": 4, "evaluate_every": 0}
    )
    tokenizer = tiny_tokenizer(labelled_texts(labelled))
    trainer = Trainer(config, tiny_network(config, tokenizer), tokenizer, labelled, tmp_path)
    numbers = trainer.train_step(np.arange(4))
    assert numbers["questions_loss"] > 0


def labelled_texts(pairs):
    """The rows with texts of their own, for a tokenizer to learn from."""
    for number, facts in enumerate(pairs.facts):
        facts.texts = (f"molecule {number} of a few", "silane odour fruity role class")
    return pairs


# -- ahead ---------------------------------------------------------------------------------------


def test_what_is_made_ahead_is_what_would_be_made_now(tmp_path, pairs):
    trainer = _trainer(tmp_path, pairs, objective={"reconstruction": 1.0})
    rows = [np.arange(0, 16), np.arange(16, 32)]
    ahead = Ahead(trainer.ahead.preparer)
    ahead.ask([(Place(0, step), plan) for step, plan in enumerate(rows)])
    try:
        for step, plan in enumerate(rows):
            made = ahead.take(Place(0, step), plan)
            now = trainer.ahead.preparer.prepare(Place(0, step), plan)
            assert made.captions == now.captions
            assert made.inputs["text"].items == now.inputs["text"].items
            np.testing.assert_array_equal(
                made.inputs["molecule"].items, now.inputs["molecule"].items
            )
            np.testing.assert_array_equal(made.false.mask, now.false.mask)
            np.testing.assert_array_equal(made.features, now.features)
    finally:
        ahead.close()


def test_a_helper_that_dies_is_done_without(tmp_path, pairs):
    trainer = _trainer(tmp_path, pairs)
    ahead = Ahead(trainer.ahead.preparer)
    ahead.ask([(Place(0, 0), np.arange(16))])
    ahead.take(Place(0, 0), np.arange(16))
    ahead.ask([(Place(0, 1), np.arange(16))])
    for process in list(ahead._pool._processes.values()):
        process.kill()
        process.join()
    assert ahead.take(Place(0, 1), np.arange(16)).captions["text"]
    assert len(ahead.take(Place(0, 2), np.arange(16)).captions["text"]) == 16
