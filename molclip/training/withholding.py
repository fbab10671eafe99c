"""Labels that a run never says: what is written beside the weights, and the proof.

``python -m molclip.training.withholding FOLDER`` reads the training sources and looks for every
withheld label in every text that a caption could be made of.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from molclip.text.withheld import FILE_NAME, Withheld, load_withheld

if TYPE_CHECKING:
    from molclip.models.molclip import MolCLIP
    from molclip.text.captions import CaptionMaker
    from molclip.text.facts import MoleculeFacts
    from molclip.training.pairs import Pairs


@dataclass(frozen=True)
class Mention:
    """A text of the training sources that says something withheld."""

    phrase: str
    source: str
    """Kind of text and the id of its molecule or term."""
    text: str


def list_in_force(pairs: Pairs, start: MolCLIP | None, folder: Path) -> Withheld:
    """Return the labels that no text of this run says, and remember them in its folder.

    Parameters
    ----------
    pairs
        The run's rows. Captions keep to the list of their maker; of a user's own texts, the
        labels that none of them mentions count as withheld.
    start
        Model whose weights the run starts from; what its training said was said.
    folder
        The run's. A killed run that goes on keeps to the list of its first start.
    """
    if pairs.maker is not None:
        withheld = pairs.maker.withheld
    else:
        texts = [text for facts in pairs.facts for text in facts.texts]
        withheld = _never_said(load_withheld(), texts)
    if start is not None:
        withheld = withheld.both(Withheld.beside(start.folder))
    known = folder / FILE_NAME
    if known.is_file():
        withheld = withheld.both(Withheld.read(known))
    elif (folder / "checkpoint.pt").is_file():
        # The run began before there was a list, or with an empty one.
        withheld = Withheld()
    withheld.write(folder)
    return withheld


def _never_said(withheld: Withheld, texts: list[str]) -> Withheld:
    said = withheld.said(texts)
    return Withheld(tuple(entry for entry in withheld.labels if entry not in said))


def caption_texts(
    molecules: Iterable[tuple[str, MoleculeFacts]], maker: CaptionMaker | None
) -> Iterator[tuple[str, str]]:
    """Yield every text that a caption of these molecules can be made of, with where it is from.

    Names and synonyms, labels, relations, descriptions; names, everyday words and definitions of
    the classes and roles that captions may state.

    Parameters
    ----------
    molecules
        Id and facts of each.
    maker
        Makes the captions; None where the only caption of a molecule is its own text.
    """
    stated: set[str] = set()
    for id_, facts in molecules:
        yield from ((f"name of {id_}", text) for text in facts.names)
        yield from ((f"{kind} of {id_}", label) for kind, label in facts.labels)
        yield from ((f"{kind} of {id_}", other) for kind, other in facts.relations)
        yield from ((f"description of {id_}", text) for text in facts.texts)
        if maker is not None:
            stated |= maker.held(facts)
    if maker is None:
        return
    for term in sorted(stated):
        # What a caption may state also holds labels and properties, which are told above.
        if maker.terms.name(term) != term:
            yield f"name of {term}", maker.terms.name(term)
        yield from ((f"everyday words of {term}", text) for text in maker.lexicon.get(term, ()))
        if term in maker.definitions:
            yield f"definition of {term}", maker.definitions[term]


def mentions(
    molecules: Iterable[tuple[str, MoleculeFacts]], maker: CaptionMaker | None, withheld: Withheld
) -> list[Mention]:
    """Return every text that says something withheld; an empty list is the proof.

    See `caption_texts` for the parameters.
    """
    found = []
    for source, text in caption_texts(molecules, maker):
        phrase = withheld.mention(text)
        if phrase is not None:
            found.append(Mention(phrase, source, text))
    return found


def prove(folder: Path) -> tuple[int, list[Mention]]:
    """Read the training sources of a folder and look for the shipped list in them.

    Returns
    -------
    The number of molecules, and what was found.
    """
    from molclip.evaluation.zero_shot.molecules import DataFolder
    from molclip.text.captions import CaptionMaker
    from molclip.text.lexicon import load_lexicon
    from molclip.training.corpus import load_corpus

    data = DataFolder(folder, None, lambda *_: None)
    corpus = load_corpus(folder, data.keys)
    maker = CaptionMaker(corpus.terms, load_lexicon(), corpus.definitions, withheld=corpus.withheld)
    molecules = ((entry.id, entry.facts) for entry in corpus.entries)
    return len(corpus.entries), mentions(molecules, maker, load_withheld())


def main(arguments: list[str]) -> int:
    """Print the proof for a folder; 1 where something withheld is said."""
    if len(arguments) != 1:
        print("Usage: python -m molclip.training.withholding FOLDER", file=sys.stderr)
        return 2
    molecules, found = prove(Path(arguments[0]))
    for mention in found[:20]:
        print(f"{mention.phrase!r} in {mention.source}: {mention.text}")
    labels = len(load_withheld().labels)
    print(f"{labels} withheld labels, {molecules:,} molecules, {len(found)} texts mention one")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
