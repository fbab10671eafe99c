"""Plans of epochs: every row as often as it should come, and groups that a slow way finds too."""

import io
from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from negatives_fakes import Tree, made_pairs, slow_groups, told

from molclip.text.facts import MoleculeFacts
from molclip.training import planner as planner_module
from molclip.training.batches import epoch_rows, grouped_batches, random_batches
from molclip.training.config import NegativesSection
from molclip.training.planner import Planner, Vectors

KINDS = ("random", "neighbours", "mined", "related")
COUNT = 48


class Model:
    """Stands for the model of a run: other vectors after every epoch."""

    def __init__(self, count=COUNT, width=5):
        self.calls = []
        self.size = (count, width)

    def vectors(self, version):
        rng = np.random.default_rng(version)
        molecules, texts = rng.normal(size=(2, *self.size)).astype(np.float32)
        return [part / np.linalg.norm(part, axis=1, keepdims=True) for part in (molecules, texts)]

    def embed(self, rows, texts):
        self.calls.append((rows, texts))
        molecules, said = self.vectors(len(self.calls))
        return Vectors(molecules[rows], None if texts is None else said[rows])


def no_model(rows, texts):
    raise AssertionError("no vectors are needed")


def silanes(folder, count=COUNT, **columns):
    ends = ("O", "N", "S", "Cl")
    return made_pairs(
        folder,
        [
            (f"m{n}", f"[SiH3]{'C' * (1 + n // 4)}{ends[n % 4]}", told(f"text {n}"))
            for n in range(count)
        ],
        **columns,
    )


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    return silanes(tmp_path_factory.mktemp("features"))


def settle(**keys):
    return NegativesSection.model_validate(keys)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    kind=st.sampled_from(KINDS),
    size=st.integers(2, 60),
    group=st.integers(2, 9),
    epoch=st.integers(0, 5),
    curriculum=st.sampled_from([0, 3]),
    block=st.sampled_from([7, 20, 1000]),
    repeats=st.lists(st.integers(1, 4), min_size=COUNT, max_size=COUNT),
    chances=st.lists(st.sampled_from([0.0, 0.3, 1.0]), min_size=COUNT, max_size=COUNT),
    seed=st.integers(0, 5),
)
def test_every_plan_shows_each_row_as_often_as_it_should(
    pairs, monkeypatch, kind, size, group, epoch, curriculum, block, repeats, chances, seed
):
    monkeypatch.setattr(planner_module, "_BLOCK", block)
    monkeypatch.setattr(pairs, "repeats", np.array(repeats))
    monkeypatch.setattr(pairs, "chances", np.array([1.0, 1.0, *chances[2:]]))
    keys = {"batches": kind, "group": group, "curriculum": curriculum}
    plan = Planner(pairs, settle(**keys), size, seed).plan(epoch, Model().embed)
    expected = Counter(epoch_rows(pairs.chances, pairs.repeats, seed, epoch).tolist())
    missing = expected - Counter(np.concatenate(plan).tolist())
    assert Counter(np.concatenate(plan).tolist()) - expected == Counter()
    lost = sum(missing.values())
    assert lost == (sum(expected.values()) % size if lost else 0)
    assert lost < size // 2 or lost == 0
    assert all(len(batch) == size for batch in plan[:-1])
    again = Planner(pairs, settle(**keys), size, seed).plan(epoch, Model().embed)
    assert [batch.tolist() for batch in plan] == [batch.tolist() for batch in again]


def test_random_batches_ask_for_no_vectors(pairs):
    plan = Planner(pairs, settle(), 10, 3).plan(2, no_model)
    rows = epoch_rows(pairs.chances, pairs.repeats, 3, 2)
    assert [batch.tolist() for batch in plan] == [b.tolist() for b in random_batches(rows, 10)]


@pytest.mark.parametrize("kind", ["neighbours", "mined"])
def test_groups_are_what_a_ranking_by_the_model_says(tmp_path, kind):
    # Rows 3 and 7 show a second time; rows 40 to 47 all have one description.
    pairs = silanes(tmp_path, repeats=[2 if n in (3, 7) else 1 for n in range(COUNT)])
    for row in range(40, COUNT):
        pairs.facts[row] = told("the same words")
    model = Model()
    plan = Planner(pairs, settle(batches=kind, group=4), 12, 1).plan(0, model.embed)
    molecules, texts = (part.astype(np.float16).astype(float) for part in model.vectors(1))
    refused = np.zeros((COUNT, COUNT), dtype=bool)
    if kind == "mined":
        refused[40:, 40:] = True
    scores = (texts if kind == "mined" else molecules) @ molecules.T
    order = epoch_rows(pairs.chances, pairs.repeats, 1, 0)
    groups = slow_groups(order, np.arange(COUNT), scores, 4, refused)
    expected = grouped_batches(
        [np.array(group) for group in groups], 12, 1.0, np.random.default_rng((1, 0, 2))
    )
    assert [batch.tolist() for batch in plan] == [batch.tolist() for batch in expected]


def test_mined_negatives_of_a_text_are_wrong_by_its_facts(tmp_path):
    # Every text is the class of its molecule; the model ranks members of the class first.
    classes = ["alkaloid", "lipid"]
    pairs = made_pairs(
        tmp_path,
        [
            (str(n), f"[SiH3]{'C' * (n + 1)}O", MoleculeFacts(classes=(classes[n % 2],)))
            for n in range(36)
        ],
        terms=Tree(),
    )
    vectors = np.eye(2, dtype=np.float32)[np.arange(36) % 2]

    def embed(rows, texts):
        assert all(classes[row % 2] in text for row, text in zip(rows, texts, strict=True))
        return Vectors(vectors[rows], vectors[rows])

    def partners(rules):
        """How often a row stands beside one of its class, two by two."""
        plan = Planner(pairs, settle(batches="mined", group=2, rules=rules), 2, 0).plan(0, embed)
        return sum(len({row % 2 for row in batch.tolist()}) == 1 for batch in plan)

    assert partners([]) == 18
    assert partners(["facts"]) == 0


@pytest.mark.parametrize("rules", [[], ["molecule"]])
def test_the_same_molecule_is_no_neighbour_of_itself(tmp_path, rules):
    # Every molecule in two rows, written from both ends, with one vector.
    smiles = [("[SiH3]" + "C" * n + "O", "O" + "C" * n + "[SiH3]") for n in range(1, 9)]
    pairs = made_pairs(tmp_path, [(text, text, told(text)) for both in smiles for text in both])
    molecules = np.repeat(np.eye(8, dtype=np.float32), 2, axis=0)
    keys = {"batches": "neighbours", "group": 2, "rules": rules}
    plan = Planner(pairs, settle(**keys), 2, 0).plan(
        0, lambda rows, texts: Vectors(molecules[rows])
    )
    assert len(plan) == 8
    assert all(batch[0] // 2 != batch[1] // 2 for batch in plan)


def test_relatives_need_no_model_and_stay_in_one_block(tmp_path, monkeypatch):
    monkeypatch.setattr(planner_module, "_BLOCK", 6)
    hands = [f"[SiH3]{'C' * n}[C{hand}H](O)C(F)F" for n in range(1, 13) for hand in ("@", "@@")]
    pairs = made_pairs(tmp_path, [(text, text, told(text)) for text in hands])
    plan = Planner(pairs, settle(batches="related", group=2), 2, 0).plan(0, no_model)
    assert sorted(sorted(batch.tolist()) for batch in plan) == np.arange(24).reshape(-1, 2).tolist()
    # With the rule that stereoisomers are false negatives, they do not share a group.
    keys = {"batches": "related", "group": 2, "rules": ["skeleton"]}
    plan = Planner(pairs, settle(**keys), 2, 0).plan(0, no_model)
    assert all(batch[0] // 2 != batch[1] // 2 for batch in plan)


def test_a_curriculum_goes_from_random_to_grouped(pairs):
    keys = {"batches": "related", "batches_from": 1, "curriculum": 4}
    planner = Planner(pairs, settle(**keys), 16, 0)
    shares = [planner.grouped_share(epoch) for epoch in range(7)]
    assert shares == [0, 0, 0.25, 0.5, 0.75, 1, 1]
    at_once = Planner(pairs, settle(batches="mined", batches_from=2), 16, 0)
    assert [at_once.grouped_share(epoch) for epoch in range(4)] == [0, 0, 1, 1]
    assert Planner(pairs, settle(), 16, 0).grouped_share(9) == 0


def test_only_rows_of_the_coming_epochs_are_embedded_and_texts_only_to_mine(tmp_path):
    pairs = silanes(tmp_path, chances=[0.4] * COUNT)
    model = Model()
    planner = Planner(pairs, settle(batches="neighbours", batches_from=1, refresh=2), 8, 5)
    for epoch in range(6):
        planner.plan(epoch, model.embed)
    drawn = [set(epoch_rows(pairs.chances, pairs.repeats, 5, epoch).tolist()) for epoch in range(7)]
    expected = [sorted(drawn[epoch] | drawn[epoch + 1]) for epoch in (1, 3, 5)]
    assert [rows.tolist() for rows, _ in model.calls] == expected
    assert {texts for _, texts in model.calls} == {None}
    planner = Planner(pairs, settle(batches="mined"), 8, 5)
    planner.plan(0, model.embed)
    rows, texts = model.calls[-1]
    assert texts == [f"text {row}" for row in rows]


@pytest.mark.parametrize("kind", ["neighbours", "mined"])
def test_a_resumed_run_goes_on_with_the_same_index(pairs, kind):
    model = Model()
    unbroken = Planner(pairs, settle(batches=kind, refresh=3), 8, 2)
    plans, states = [], []
    for epoch in range(4):
        plans.append([batch.tolist() for batch in unbroken.plan(epoch, model.embed)])
        stream = io.BytesIO()
        torch.save(unbroken.state_dict(), stream)
        stream.seek(0)
        states.append(torch.load(stream, weights_only=True))
    assert len(model.calls) == 2
    for epoch in (0, 1):
        resumed = Planner(pairs, settle(batches=kind, refresh=3), 8, 2)
        resumed.load_state_dict(states[epoch])
        assert [b.tolist() for b in resumed.plan(epoch + 1, no_model)] == plans[epoch + 1]
    assert states[0]["molecules"].dtype == torch.float16
    # Epoch 3 embeds anew, so nothing is kept for it.
    assert states[2] == {}
    resumed = Planner(pairs, settle(batches=kind, refresh=3), 8, 2)
    resumed.load_state_dict(states[2])
    later = Model()
    later.calls.append(None)
    assert [b.tolist() for b in resumed.plan(3, later.embed)] == plans[3]
