"""Which skeletons are kept from training."""

import hashlib
import random
import string

from molclip.datasets.held_out import HELD_OUT_SHARE, is_held_out
from molclip.training import corpus


def _key(rng):
    block = "".join(rng.choices(string.ascii_uppercase, k=14))
    return f"{block}-UHFFFAOYSA-N"


def test_a_twentieth_of_the_skeletons_is_kept():
    rng = random.Random(0)
    kept = sum(is_held_out(_key(rng)) for _ in range(20_000))
    # 1,000 expected; five standard deviations are 154.
    assert abs(kept - 20_000 / HELD_OUT_SHARE) < 154


def test_stereo_and_charge_make_no_difference_and_the_rule_is_the_hash():
    rng = random.Random(1)
    for _ in range(200):
        key = _key(rng)
        assert is_held_out(key) == is_held_out(f"{key[:14]}-ABCDEFGHSA-M")
        number = int(hashlib.sha256(f"held-out:{key[:14]}".encode()).hexdigest()[:8], 16)
        assert is_held_out(key) == (number % 20 == 0)


def test_training_uses_the_same_rule():
    assert corpus.is_held_out is is_held_out
    assert corpus.HELD_OUT_SHARE == 20
