"""A tiny training set and network that need no files."""

import numpy as np

from molclip.chem.features import WIDTH
from molclip.models.config import MolCLIPConfig
from molclip.models.network import DualEncoder
from molclip.text.facts import MoleculeFacts
from molclip.text.tokenizer import TextTokenizer, train_tokenizer
from molclip.training.config import TrainingConfig
from molclip.training.features import FeatureStore
from molclip.training.pairs import Pairs

GROUPS = {"O": "alcohol", "N": "amine", "S": "thiol", "Cl": "chloride"}


def tiny_pairs(folder, count=32):
    """Pairs of silanes, which no held-out split holds, with two texts each."""
    smiles, facts = [], []
    for number in range(count):
        group = list(GROUPS)[number % 4]
        length = 1 + number // 4
        smiles.append(f"[SiH3]{'C' * length}{group}")
        name = GROUPS[group]
        facts.append(
            MoleculeFacts(
                texts=(f"{name} with a chain of {length}", f"a silane, {length} carbons, {name}")
            )
        )
    store = FeatureStore(folder, workers=1)
    keys = store.keys(smiles)
    return Pairs(
        ids=[f"m{number}" for number in range(count)],
        inchikeys=list(keys),
        feature_rows=store.rows(smiles),
        store=store,
        facts=facts,
        chances=np.ones(count),
        repeats=np.ones(count, dtype=np.int64),
        maker=None,
    )


def tiny_config(folder, **sections):
    """A configuration in float32 on the CPU; sections are merged into it."""
    raw = {
        "output": str(folder),
        "data": {"pairs": "pairs.csv"},
        "model": {
            "dimension": 8,
            "molecule": {"hidden": 16, "dropout": 0.0, "input_dropout": 0.0},
        },
        "run": {
            "batch_size": 16,
            "epochs": 2,
            "precision": "float32",
            "device": "cpu",
            "checkpoint_minutes": 1000,
        },
    }
    for name, values in sections.items():
        raw[name] = {**raw.get(name, {}), **values}
    return TrainingConfig.model_validate(raw)


def tiny_tokenizer(pairs):
    return TextTokenizer(train_tokenizer([t for f in pairs.facts for t in f.texts], 120), 24)


def tiny_network(config, tokenizer, seed=0, bias=None, dropout=0.0):
    """A two-tower network of a few thousand weights."""
    import torch

    torch.manual_seed(seed)
    described = MolCLIPConfig.model_validate(
        {
            "text": {
                "max_tokens": 24,
                "encoder": {
                    "model_type": "roberta-prelayernorm",
                    "hidden_size": 16,
                    "num_hidden_layers": 2,
                    "num_attention_heads": 2,
                    "intermediate_size": 32,
                    "max_position_embeddings": 48,
                    "hidden_dropout_prob": dropout,
                    "attention_probs_dropout_prob": dropout,
                },
            },
            "molecule": {"inputs": WIDTH, **config.model.molecule},
            "dimension": config.model.dimension,
            "init_bias": bias,
        }
    )
    return DualEncoder(described, tokenizer.size, tokenizer.pad_id)
