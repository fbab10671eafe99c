"""The runs behind `benchmarks/augmentations.py`: molecules, views, a small encoder, figures."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from rdkit import Chem
from scipy.spatial.distance import cdist
from sklearn.neighbors import KNeighborsClassifier

from molclip.chem.augmentations import augmented_inputs
from molclip.chem.features import BLOCKS, WIDTH
from molclip.chem.graphs import ATOM_SIZES
from molclip.chem.inputs import gathered, input_of
from molclip.chem.rdkit_log import capture
from molclip.datasets import Ontology, RefusalList, load_facts
from molclip.evaluation.representation import alignment, effective_rank, uniformity
from molclip.losses.nt_xent import nt_xent_loss
from molclip.losses.terms import Terms
from molclip.models.config import HeadConfig, MoleculeConfig
from molclip.models.molecule_encoder import molecule_encoder

# fmt: off
CLASSES = (
    "flavones", "flavanones", "isoflavones", "coumarins", "xanthones", "anthraquinone",
    "monoterpenoid", "sesquiterpenoid", "diterpenoid", "triterpenoid", "lignan", "prostaglandin",
    "dipeptide", "tripeptide", "monosaccharide", "nucleoside", "sulfonamide", "ureas",
    "imidazoles", "thiazoles", "pyrazoles", "quinolines", "oxo steroid", "indole alkaloid",
)
# fmt: on
LARGEST = 50  # heavy atoms
NEIGHBOURS = 5
TEMPERATURE = 0.1
VIEWS = 3  # per training molecule where fingerprints must be computed; pairs are drawn from them
_ELEMENTS = slice(WIDTH - sum(list(BLOCKS.values())[-3:]), WIDTH - sum(list(BLOCKS.values())[-2:]))


@dataclass
class Setting:
    """One run."""

    encoder: str
    augmentation: str
    strength: float
    epochs: int
    seed: int


@dataclass
class Outcome:
    """Its figures; what they are stands in `augmentations.py`."""

    encoder: str
    augmentation: str
    strength: float
    told_apart: float
    untrained: float
    by_size: float
    by_elements: float
    by_overlap: float
    equal: float
    alignment: float
    uniformity: float
    effective_rank: float
    view_class: float
    class_knn: float
    class_head: float
    class_untrained: float
    class_plain: float
    seconds: float


class Molecules:
    """The molecules of one part: SMILES, class numbers, and inputs made when first asked for."""

    def __init__(self, smiles: list[str], labels: np.ndarray) -> None:
        self.smiles, self.labels = smiles, labels
        with capture():
            self.mols = [Chem.MolFromSmiles(text) for text in smiles]
        self._inputs: dict[str, Any] = {}

    def inputs(self, kind: str) -> Any:
        if kind not in self._inputs:
            self._inputs[kind] = gathered([input_of(mol, kind) for mol in self.mols], kind)
        return self._inputs[kind]


def load(per_class: int, seed: int) -> tuple[tuple[list[str], list[int]], ...]:
    """SMILES and class numbers to train on, and held out; no skeleton is in both."""
    facts, ontology, refused = load_facts(), Ontology.load(), RefusalList.load()
    ids = {ontology.lookup(name, "class")[0]: number for number, name in enumerate(CLASSES)}
    found: list[tuple[str, str, int]] = []
    for smiles, key, classes, curated in zip(
        *(facts.column(name) for name in ("smiles", "inchikey", "classes", "curated")), strict=True
    ):
        labels = [ids[id_] for id_ in ontology.closure(classes) if id_ in ids]
        if curated and len(labels) == 1 and not refused.refuses(key, skeleton=True):
            found.append((smiles, key[:14], labels[0]))
    taken: Counter[int] = Counter()
    parts: dict[bool, tuple[list[str], list[int]]] = {True: ([], []), False: ([], [])}
    held: dict[str, bool] = {}
    rng = np.random.default_rng(seed)
    for number in rng.permutation(len(found)).tolist():
        smiles, skeleton, label = found[number]
        with capture():
            heavy = Chem.MolFromSmiles(smiles).GetNumHeavyAtoms() if taken[label] < per_class else 0
        if not 1 < heavy <= LARGEST:
            continue
        taken[label] += 1
        part = parts[held.setdefault(skeleton, taken[label] % 3 == 0)]
        part[0].append(smiles)
        part[1].append(label)
    return parts[False], parts[True]


def plain(kind: str, *parts: Any) -> list[np.ndarray]:
    """What the encoder gets, without an encoder, unit rows: log counts, or bags of atom codes."""
    if kind == "fingerprint":
        tables = [np.log1p(part.astype(np.float32)) for part in parts]
    else:
        codes: dict[bytes, int] = {}
        bags = [
            [Counter(codes.setdefault(row.tobytes(), len(codes)) for row in graph.atoms) for graph in part]
            for part in parts
        ]  # fmt: skip
        tables = [np.zeros((len(part), len(codes)), dtype=np.float32) for part in bags]
        for table, part in zip(tables, bags, strict=True):
            for row, bag in zip(table, part, strict=True):
                row[list(bag)] = list(bag.values())
    return [
        table / np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-9) for table in tables
    ]


def partner_nearest(likeness: np.ndarray) -> float:
    """Share of 2N views whose partner, N rows on, is the only nearest one; itself is left out."""
    size = len(likeness) // 2
    scores = likeness.astype(np.float64)
    np.fill_diagonal(scores, -np.inf)
    rows = np.arange(2 * size)
    partner = (rows + size) % (2 * size)
    own = scores[rows, partner].copy()
    scores[rows, partner] = -np.inf
    return float(np.mean(own > scores.max(axis=1)))


def keys(kind: str, views: Any) -> tuple[np.ndarray, np.ndarray]:
    """What is trivially known of each view: its size, and its element counts."""
    if kind == "fingerprint":
        elements = views[:, _ELEMENTS].astype(np.float64)
        return elements.sum(axis=1, keepdims=True), elements
    sizes = [(len(graph.atoms), graph.bonds.shape[1] / 2) for graph in views]
    counts = [np.bincount(graph.atoms[:, 0], minlength=ATOM_SIZES["element"]) for graph in views]
    return np.array(sizes), np.array(counts, dtype=np.float64)


def new_encoder(kind: str) -> Any:
    """A small one, without dropout: the augmentation alone makes the views."""
    head = HeadConfig(kind="mlp", depth=2, hidden=128)
    config = MoleculeConfig(
        encoder=kind, inputs=WIDTH, hidden=256, blocks=0, layers=3, graph_width=64, head=head,
        input_dropout=0.0, dropout=0.0,
    )  # fmt: skip
    return molecule_encoder(config, 64)


@torch.no_grad()
def encode(encoder: Any, inputs: Any) -> tuple[np.ndarray, np.ndarray]:
    """Features before the head, and unit vectors after it."""
    encoder.eval()
    batches = [encoder.collate(inputs[start : start + 256]) for start in range(0, len(inputs), 256)]
    return (
        np.concatenate([encoder.features(batch).float().numpy() for batch in batches]),
        np.concatenate([encoder(batch).numpy() for batch in batches]),
    )


def pairs_of_views(part: Molecules, setting: Setting, rng: np.random.Generator) -> Any:
    """A function from rows to two views of each."""
    kind, edit = setting.encoder, {setting.augmentation: setting.strength}
    inputs = part.inputs(kind)
    if kind == "fingerprint" and setting.augmentation in ("bit_dropout", "random_smiles"):
        return lambda rows: [
            augmented_inputs(inputs[rows], None, kind, edit, rng) for _ in range(2)
        ]
    if kind == "graph":
        return lambda rows: [
            augmented_inputs([inputs[row] for row in rows], None, kind, edit, rng) for _ in range(2)
        ]
    # Fingerprints of edited molecules take milliseconds, so a few views serve all epochs.
    pool = np.stack([augmented_inputs(inputs, part.smiles, kind, edit, rng) for _ in range(VIEWS)])

    def drawn(rows: np.ndarray) -> list[np.ndarray]:
        which = rng.permuted(np.tile(np.arange(VIEWS), (len(rows), 1)), axis=1)
        return [pool[which[:, side], rows] for side in range(2)]

    return drawn


def train(encoder: Any, part: Molecules, setting: Setting, rng: np.random.Generator) -> None:
    """NT-Xent on two views, a fixed number of epochs."""
    views = pairs_of_views(part, setting, rng)
    optimizer = torch.optim.AdamW(encoder.parameters(), lr=1e-3, weight_decay=1e-4)
    terms = Terms(scale=torch.tensor(1 / TEMPERATURE))
    encoder.train()
    for _ in range(setting.epochs):
        order = rng.permutation(len(part.smiles))
        for rows in np.array_split(order, max(len(order) // 256, 1)):
            first, second = (encoder(encoder.collate(view)) for view in views(rows))
            optimizer.zero_grad()
            nt_xent_loss(first, second, terms).loss.backward()
            optimizer.step()


def nearest_class(gallery: np.ndarray, labels: np.ndarray, rows: np.ndarray, own: Any) -> float:
    """Share of rows whose nearest neighbours in the gallery vote for their own class."""
    model = KNeighborsClassifier(NEIGHBOURS, metric="cosine").fit(gallery, labels)
    return float(model.score(rows, own))


def measure(setting: Setting) -> Outcome:
    """Train and measure one setting, on the molecules given to `begin`."""
    started = time.perf_counter()
    torch.manual_seed(setting.seed)
    rng = np.random.default_rng(setting.seed)
    kind, (known, held) = setting.encoder, _PARTS
    encoder = new_encoder(kind)
    edit = {setting.augmentation: setting.strength}
    first, second = (
        augmented_inputs(held.inputs(kind), held.smiles, kind, edit, rng) for _ in range(2)
    )
    views = [*first, *second] if kind == "graph" else np.concatenate([first, second])
    gallery, whole, plain_views = plain(kind, known.inputs(kind), held.inputs(kind), views)
    untrained = [encode(encoder, part.inputs(kind))[0] for part in _PARTS]
    raw = encode(encoder, views)[1]
    train(encoder, known, setting, rng)
    vectors = encode(encoder, views)[1]
    (seen, seen_outputs), (features, outputs) = (
        encode(encoder, part.inputs(kind)) for part in _PARTS
    )
    size, elements = keys(kind, views)
    half = len(held.smiles)
    return Outcome(
        kind, setting.augmentation, setting.strength,
        told_apart=partner_nearest(vectors @ vectors.T),
        untrained=partner_nearest(raw @ raw.T),
        by_size=partner_nearest(-cdist(size, size, "cityblock")),
        by_elements=partner_nearest(-cdist(elements, elements, "cityblock")),
        by_overlap=partner_nearest(plain_views @ plain_views.T),
        equal=float(np.mean((raw[:half] * raw[half:]).sum(axis=1) > 1 - 1e-6)),
        alignment=alignment(vectors[:half], vectors[half:]),
        uniformity=uniformity(outputs),
        effective_rank=effective_rank(outputs),
        view_class=nearest_class(gallery, known.labels, plain_views, np.tile(held.labels, 2)),
        class_knn=nearest_class(seen, known.labels, features, held.labels),
        class_head=nearest_class(seen_outputs, known.labels, outputs, held.labels),
        class_untrained=nearest_class(untrained[0], known.labels, untrained[1], held.labels),
        class_plain=nearest_class(gallery, known.labels, whole, held.labels),
        seconds=time.perf_counter() - started,
    )  # fmt: skip


_PARTS: tuple[Molecules, Molecules]


def begin(parts: Any) -> None:
    """Give one process the SMILES and class numbers of both parts; see `load`."""
    global _PARTS
    torch.set_num_threads(1)
    _PARTS = tuple(Molecules(smiles, np.array(labels)) for smiles, labels in parts)
