"""Projection heads against the formula, and the combination that cannot be."""

import pytest
import torch

from molclip.errors import ConfigError
from molclip.models.config import HeadConfig
from molclip.models.projection import projection_head

ROWS = torch.randn(5, 8, generator=torch.Generator().manual_seed(0))


def test_no_head_is_the_identity():
    assert torch.equal(projection_head(HeadConfig(kind="none"), 8, 8)(ROWS), ROWS)


def test_no_head_of_another_width_names_both_numbers():
    with pytest.raises(ConfigError, match=r"8 features.*256 dimensions"):
        projection_head(HeadConfig(kind="none"), 8, 256)


def test_the_linear_head_is_one_matrix():
    head = projection_head(HeadConfig(kind="linear"), 8, 3)
    assert [tuple(p.shape) for p in head.parameters()] == [(3, 8)]
    torch.testing.assert_close(head(ROWS), ROWS @ head.weight.T)


@pytest.mark.parametrize("norm", ["none", "layer"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_perceptron_is_its_formula(depth, norm):
    torch.manual_seed(depth)
    head = projection_head(HeadConfig(kind="mlp", depth=depth, hidden=16, norm=norm), 8, 3)
    linear = [layer for layer in head if isinstance(layer, torch.nn.Linear)]
    assert [(layer.in_features, layer.out_features) for layer in linear] == [
        [(8, 3)],
        [(8, 16), (16, 3)],
        [(8, 16), (16, 16), (16, 3)],
    ][depth - 1]
    expected = ROWS
    for layer in linear[:-1]:
        expected = expected @ layer.weight.T + layer.bias
        if norm == "layer":
            mean = expected.mean(1, keepdim=True)
            variance = expected.var(1, unbiased=False, keepdim=True)
            expected = (expected - mean) / (variance + 1e-5).sqrt()
        expected = expected * 0.5 * (1 + torch.erf(expected / 2**0.5))
    torch.testing.assert_close(head(ROWS), expected @ linear[-1].weight.T, atol=1e-5, rtol=1e-5)
