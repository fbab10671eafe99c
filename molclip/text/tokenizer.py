"""A tokenizer for the language of chemistry: names and locants stay short.

Text is lower-cased, split on white space, punctuation and between letters and digits, then joined
up again by byte-pair merges learnt from captions. `3beta-hydroxy` so costs four pieces, not ten,
and a locant never hides inside a word piece.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from molclip.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

FILE_NAME = "tokenizer.json"
CONFIG_NAME = "tokenizer_config.json"
PAD, UNKNOWN, START, END = "[PAD]", "[UNK]", "[CLS]", "[SEP]"


def train_tokenizer(texts: Iterable[str], size: int = 12000) -> Tokenizer:
    """Learn a byte-pair vocabulary of `size` pieces from texts.

    The same texts in the same order give the same vocabulary.
    """
    from tokenizers import Regex, Tokenizer, normalizers, pre_tokenizers, processors, trainers
    from tokenizers.models import BPE

    tokenizer = Tokenizer(BPE(unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.Sequence(
        [
            normalizers.NFKC(),
            normalizers.Replace("\u2032", "'"),
            normalizers.Replace("\u2019", "'"),
            normalizers.Replace(Regex("[\u2010-\u2015\u2212]"), "-"),
            normalizers.Lowercase(),
        ]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.WhitespaceSplit(),
            pre_tokenizers.Split(Regex(r"\d|[^\w\s]|[^\W\d]+"), "isolated"),
        ]
    )
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=3,
        special_tokens=[PAD, UNKNOWN, START, END],
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{START} $A {END}",
        special_tokens=[
            (START, tokenizer.token_to_id(START)),
            (END, tokenizer.token_to_id(END)),
        ],
    )
    return tokenizer


@dataclass(frozen=True, slots=True)
class Encoded:
    """Token ids of one text and what was lost on the way."""

    ids: list[int]
    dropped: int
    """Pieces cut off past the limit."""
    unknown: int
    """Pieces that the vocabulary does not know."""


class TextTokenizer:
    """Texts to token ids, with the losses counted.

    Parameters
    ----------
    tokenizer
        From `train_tokenizer`, or of a pretrained encoder.
    max_tokens
        Longer texts are cut; the closing token stays.
    pad_token, unknown_token
        Of a pretrained encoder; by default looked up among the usual ones.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        max_tokens: int,
        pad_token: str | None = None,
        unknown_token: str | None = None,
    ) -> None:
        self.tokenizer = tokenizer
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        self.max_tokens = max_tokens
        vocabulary = tokenizer.get_vocab(with_added_tokens=True)
        pads = (pad_token, PAD, "<pad>")
        unknowns = (unknown_token, UNKNOWN, "<unk>")
        self.pad_id = next((vocabulary[token] for token in pads if token in vocabulary), 0)
        self.unknown_id = next((vocabulary[token] for token in unknowns if token in vocabulary), -1)

    @property
    def size(self) -> int:
        """Number of pieces, special ones included."""
        return self.tokenizer.get_vocab_size(with_added_tokens=True)

    def encode(self, texts: list[str]) -> list[Encoded]:
        """Encode texts of any length; row-aligned."""
        result = []
        for encoding in self.tokenizer.encode_batch(texts):
            ids = encoding.ids
            dropped = max(0, len(ids) - self.max_tokens)
            if dropped and encoding.special_tokens_mask[-1]:
                ids = [*ids[: self.max_tokens - 1], ids[-1]]
            elif dropped:
                ids = ids[: self.max_tokens]
            result.append(Encoded(ids, dropped, ids.count(self.unknown_id)))
        return result

    def save(self, folder: Path) -> None:
        """Write `tokenizer.json` and what `AutoTokenizer.from_pretrained` needs beside it."""
        import json

        self.tokenizer.save(str(folder / FILE_NAME))
        vocabulary = self.tokenizer.get_vocab(with_added_tokens=True)
        special = {
            "pad_token": self.tokenizer.id_to_token(self.pad_id),
            "unk_token": UNKNOWN
            if self.unknown_id < 0
            else self.tokenizer.id_to_token(self.unknown_id),
            "cls_token": next((t for t in (START, "<s>") if t in vocabulary), None),
            "sep_token": next((t for t in (END, "</s>") if t in vocabulary), None),
        }
        described = {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": self.max_tokens,
            **{name: token for name, token in special.items() if token is not None},
        }
        (folder / CONFIG_NAME).write_text(json.dumps(described, indent=2) + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path, max_tokens: int) -> TextTokenizer:
        """Read `tokenizer.json` of a model folder.

        Raises
        ------
        ModelError
            When the file is missing: another tokenizer would give wrong answers in silence.
        """
        from tokenizers import Tokenizer

        path = folder / FILE_NAME
        if not path.is_file():
            raise ModelError(
                f"{folder} holds no {FILE_NAME}.", "A model travels with its own tokenizer."
            )
        try:
            tokenizer = Tokenizer.from_file(str(path))
        except Exception as error:  # tokenizers raises no narrower class
            raise ModelError(
                f"{path} is no tokenizer: {error}.", "Take all files from the same model."
            ) from None
        described = _described(folder)
        return cls(tokenizer, max_tokens, described.get("pad_token"), described.get("unk_token"))


def _described(folder: Path) -> dict[str, str]:
    """What `save` wrote beside the tokenizer; nothing where it is missing or damaged."""
    import json

    try:
        read = json.loads((folder / CONFIG_NAME).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {key: value for key, value in read.items() if isinstance(value, str)}
