"""What each word of a text does to its match with a molecule.

Words are what white space separates. *Occlusion* scores the text with one word left out.
*Integrated gradients* start from a text of the same length whose pieces say nothing (the embedding
of padding) between the marks of beginning and end; the attributions of a word's pieces are added
up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from molclip.explain.attribution import Attribution
from molclip.explain.integrated_gradients import Tap, integrate, private_copy

if TYPE_CHECKING:
    from torch import Tensor

    from molclip.models.molclip import MolCLIP

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, eq=False)
class Reading:
    """How a model reads a text."""

    words: list[str]
    ids: list[int]
    """Token ids, those of special tokens included, cut to what the model reads."""
    word_of: list[int]
    """Word of each token; −1 for special tokens."""

    @property
    def unread(self) -> list[str]:
        """Words past the end of what the model reads."""
        read = set(self.word_of)
        return [word for place, word in enumerate(self.words) if place not in read]


def read_text(model: MolCLIP, text: str) -> Reading:
    """Words and tokens of a text."""
    spans = [match.span() for match in _WORD.finditer(text)]
    (encoded,) = model.tokenize([text])
    whole = model.tokenizer.tokenizer.encode(text)
    kept = list(range(len(whole.ids)))
    if encoded.dropped:
        # As the tokenizer cuts: the closing token stays.
        closing = [kept[-1]] if whole.special_tokens_mask[-1] else []
        kept = kept[: len(encoded.ids) - len(closing)] + closing
    starts = np.array([start for start, _ in spans])
    word_of = []
    for token in kept:
        # By its last character: some tokenizers count the space before a word to its first piece.
        last = whole.offsets[token][1] - 1
        special = bool(whole.special_tokens_mask[token])
        word_of.append(-1 if special else max(0, int(np.searchsorted(starts, last, "right")) - 1))
    return Reading([text[start:end] for start, end in spans], encoded.ids, word_of)


def text_vector(model: MolCLIP, reading: Reading) -> npt.NDArray[np.float32]:
    """Unit vector of a text, ``(D,)``, as `MolCLIP.encode_text` gives it."""
    vector: npt.NDArray[np.float32] = _vectors(model, [reading.ids])[0]
    return vector


def word_attribution(
    model: MolCLIP,
    reading: Reading,
    molecule: npt.NDArray[np.float32],
    *,
    occlusion: bool,
    gradient: bool,
) -> Attribution:
    """Attribute the score of a text to its words.

    Parameters
    ----------
    model
        With any text encoder of transformers.
    reading
        From `read_text`.
    molecule
        Unit vector of the molecule, ``(D,)``.
    occlusion, gradient
        Which methods.
    """
    words = reading.words
    # The others have no part in the score.
    read = sorted({word for word in reading.word_of if word >= 0}) if occlusion else []
    left = [" ".join(words[:word] + words[word + 1 :]) for word in read]
    # Not by encode_text, which refuses what is left of a text of one word.
    tokens = [item.ids for item in model.tokenizer.encode(left)]
    scores = _vectors(model, [reading.ids, *tokens]).astype(np.float64) @ molecule
    found = Attribution(None, None, float(scores[0]))
    if gradient:
        found = _integrated(model, reading, molecule)
    if occlusion:
        values = np.zeros(len(words))
        values[read] = scores[0] - scores[1:]
        found = replace(found, occlusion=values)
    return found


def _vectors(model: MolCLIP, tokens: list[list[int]]) -> npt.NDArray[np.float32]:
    with torch.inference_mode():
        found = model.network.text.forward_sorted(tokens, model.network.pad_id)
    vectors: npt.NDArray[np.float32] = found.cpu().numpy()
    return vectors


def _integrated(model: MolCLIP, reading: Reading, molecule: npt.NDArray[np.float32]) -> Attribution:
    device = model.device
    vector = torch.from_numpy(np.asarray(molecule, dtype=np.float32)).to(device)
    ids = torch.tensor([reading.ids], dtype=torch.long, device=device)
    text = private_copy(model.network.text)
    embeddings = [_embedding(transformer) for transformer in text.transformers]
    word_of = np.array(reading.word_of)
    with torch.no_grad():
        special = torch.from_numpy(word_of < 0).to(device)
        silent = torch.full_like(ids[0], model.network.pad_id)
        untold = torch.where(special, ids[0], silent)
        taps = [Tap(embedding, embedding(untold)) for embedding in embeddings]

    def score(copies: int) -> Tensor:
        repeated = ids.expand(copies, -1)
        scores: Tensor = text(repeated, torch.ones_like(repeated)) @ vector
        return scores

    integral = integrate(score, taps)
    of_tokens = np.sum(integral.parts, axis=0).reshape(-1)
    # What special tokens have is zero: they are the same in text and baseline.
    read = word_of >= 0
    values = np.bincount(word_of[read], weights=of_tokens[read], minlength=len(reading.words))
    return Attribution(
        None,
        values.astype(np.float64),
        integral.score,
        integral.baseline,
        steps=integral.steps,
    )


def _embedding(transformer: Any) -> Any:
    """The module that looks word pieces up, of a transformers model or of `PreNormEncoder`."""
    if hasattr(transformer, "get_input_embeddings"):
        return transformer.get_input_embeddings()
    return transformer.embeddings["word_embeddings"]
