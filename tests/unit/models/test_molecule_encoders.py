"""Molecule encoders: one interface, order of atoms, neighbours in a batch, what must differ."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from rdkit import Chem

from molclip.chem.features import WIDTH
from molclip.chem.graphs import graph_of
from molclip.chem.inputs import gathered, input_of
from molclip.errors import ConfigError, ModelError
from molclip.models.config import MoleculeConfig
from molclip.models.molecule_encoder import molecule_encoder

SMILES = [
    "CCO",
    "[Na+].[Cl-]",
    "[125Te]",
    "COc1ccc2nccc([C@@H](O)[C@@H]3C[C@@H]4CCN3C[C@@H]4C=C)c2c1",
    "C[C@H]1CC[C@@H](C)CC1",
    r"C/C=C/C=C\C",
    "N->[Cu+2]<-N",
    "OC[C@H]1O[C@@](CO)(O[C@H]2O[C@H](CO)[C@@H](O)[C@H](O)[C@H]2O)[C@@H](O)[C@@H]1O",
]
DIFFERENT = [
    ("CC(=O)O", "CC(=O)[O-]"),
    ("[125Te]", "[Te]"),
    ("C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O"),
    ("OC(=O)/C=C/C(O)=O", r"OC(=O)/C=C\C(O)=O"),
    ("C[C@H]1CC[C@@H](C)CC1", "C[C@H]1CC[C@H](C)CC1"),
    ("CCCCCCCCCC", "CCCCCCCCCCC"),
    ("C", "[2H]C"),
]
GRAPHS = [("graph", "gine"), ("graph", "attention"), ("hybrid", "gine"), ("hybrid", "attention")]
ALL = [("fingerprint", "gine"), *GRAPHS]


def encoder(kind, layer="gine", **settings):
    torch.manual_seed(0)
    config = MoleculeConfig(
        encoder=kind, inputs=WIDTH, hidden=32, layer=layer, layers=3, graph_width=32, **settings
    )
    return molecule_encoder(config, 16).eval()


def inputs(smiles, kind):
    return gathered([input_of(Chem.MolFromSmiles(text), kind) for text in smiles], kind)


@torch.inference_mode()
def encode(model, smiles):
    return model(model.collate(inputs(smiles, model.kind)))


@pytest.mark.parametrize(("kind", "layer"), ALL)
def test_the_interface(kind, layer):
    model = encoder(kind, layer)
    assert model.kind == kind
    batch = model.collate(inputs(SMILES, kind)).to("cpu")
    assert len(batch) == len(SMILES)
    with torch.no_grad():
        features, projected, unit = model.features(batch), model.project(batch), model(batch)
    assert features.shape == (len(SMILES), model.width)
    torch.testing.assert_close(model.projection(features), projected)
    assert projected.shape == (len(SMILES), 16)
    torch.testing.assert_close(projected / projected.norm(dim=1, keepdim=True), unit)
    assert unit.dtype == torch.float32


@pytest.mark.parametrize(("kind", "layer"), ALL)
def test_a_molecule_does_not_depend_on_its_batch(kind, layer):
    model = encoder(kind, layer)
    alone = torch.cat([encode(model, [text]) for text in SMILES])
    torch.testing.assert_close(encode(model, SMILES), alone, atol=1e-5, rtol=0)
    torch.testing.assert_close(encode(model, SMILES[::-1]).flip(0), alone, atol=1e-5, rtol=0)


@pytest.mark.parametrize("layer", ["gine", "attention"])
def test_the_order_of_atoms_does_not_matter(layer):
    model = encoder("graph", layer)
    random = np.random.default_rng(1)
    for text in SMILES:
        mol = Chem.MolFromSmiles(text)
        turned = [
            graph_of(Chem.RenumberAtoms(mol, random.permutation(mol.GetNumAtoms()).tolist()))
            for _ in range(4)
        ]
        with torch.inference_mode():
            vectors = model(model.collate([graph_of(mol), *turned]))
        torch.testing.assert_close(vectors[1:], vectors[:1].expand(4, -1), atol=1e-5, rtol=0)


@pytest.mark.parametrize(("kind", "layer"), GRAPHS)
@pytest.mark.parametrize("pair", DIFFERENT)
def test_what_must_differ_differs(kind, layer, pair):
    one, other = encode(encoder(kind, layer), pair)
    assert (one - other).abs().max() > 1e-4


@pytest.mark.parametrize("layer", ["gine", "attention"])
def test_bond_codes_reach_the_vector(layer):
    model = encoder("graph", layer)
    one = graph_of(Chem.MolFromSmiles("CCO"))
    fields = one.bond_fields.copy()
    fields[:, 0] = 2
    with torch.inference_mode():
        vectors = model(model.collate([one, replace(one, bond_fields=fields)]))
    assert (vectors[0] - vectors[1]).abs().max() > 1e-4


def test_a_message_reaches_as_far_as_there_are_layers():
    """Three rounds carry a change along three bonds, and no further."""
    model = encoder("graph")
    chain = [graph_of(Chem.MolFromSmiles(f"{'C' * 7}{end}")) for end in ("O", "N")]
    for graph in chain:
        graph.atoms[-1, 1:] = chain[0].atoms[-1, 1:]  # only the element differs
    batch = model.collate(chain)
    states = model.trunk.atoms(batch.atoms)
    with torch.inference_mode():
        for layer in model.trunk.layers:
            states = layer(states, batch)
    changed = (states[:8] - states[8:]).abs().amax(dim=1) > 1e-6
    assert changed.tolist() == [False] * 4 + [True] * 4


@pytest.mark.parametrize(("kind", "layer"), ALL)
def test_every_parameter_gets_a_gradient(kind, layer):
    model = encoder(kind, layer).train()
    goal = torch.randn(len(SMILES), 16, generator=torch.Generator().manual_seed(2))
    (model(model.collate(inputs(SMILES, kind))) * goal).sum().backward()
    without = [n for n, p in model.named_parameters() if p.grad is None or not p.grad.any()]
    assert without == []


@pytest.mark.parametrize("kind", ["graph", "hybrid"])
def test_bfloat16_is_close_to_float32(kind):
    model = encoder(kind)
    exact = encode(model, SMILES)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        rough = encode(model, SMILES)
    assert rough.dtype == torch.float32
    assert (exact * rough).sum(1).min() > 0.999


def test_heads_that_do_not_share_the_width_are_refused():
    with pytest.raises(ConfigError, match="multiple of 4"):
        molecule_encoder(
            MoleculeConfig(encoder="graph", inputs=WIDTH, layer="attention", graph_width=30), 16
        )


def test_without_torch_geometric_the_package_is_named(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("torch_geometric")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch_geometric", None)
    with pytest.raises(ModelError, match=r"pip install -e \"\.\[graph\]\""):
        encoder("graph")
    encoder("fingerprint")
