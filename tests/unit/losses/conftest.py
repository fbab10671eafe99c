import pytest
import torch


@pytest.fixture
def unit_rows():
    def make(rows, width, seed):
        generator = torch.Generator().manual_seed(seed)
        drawn = torch.randn(rows, width, generator=generator, dtype=torch.float64)
        return torch.nn.functional.normalize(drawn, dim=-1)

    return make
