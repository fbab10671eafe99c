"""A small untrained model, for behaviour that does not depend on good weights."""

import torch

from molclip.chem import features
from molclip.models.config import MolCLIPConfig, MoleculeConfig, TextConfig
from molclip.models.molclip import MolCLIP
from molclip.models.network import DualEncoder
from molclip.text.tokenizer import TextTokenizer, train_tokenizer

TEXTS = ["a bitter alkaloid", "a sweet sugar alcohol", "the molecule is an antimalarial"] * 10


def tiny_model(seed=0, kind="fingerprint"):
    """Build the model with a molecule encoder of `kind`; the same seed gives the same weights."""
    text = TextConfig(
        encoder={
            "model_type": "roberta-prelayernorm",
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "intermediate_size": 64,
            "max_position_embeddings": 64,
        },
        max_tokens=32,
    )
    molecule = MoleculeConfig(
        encoder=kind, inputs=features.WIDTH, hidden=32, layers=2, graph_width=16
    )
    config = MolCLIPConfig(text=text, molecule=molecule, dimension=16)
    tokenizer = TextTokenizer(train_tokenizer(TEXTS, 200), text.max_tokens)
    torch.manual_seed(seed)
    return MolCLIP(config, DualEncoder(config, tokenizer.size, tokenizer.pad_id), tokenizer)
