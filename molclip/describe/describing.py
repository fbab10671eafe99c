"""From a molecule to words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.datasets.ontology import Ontology
from molclip.describe import sentences
from molclip.describe.description import Description, Evidence, Statement
from molclip.describe.label_index import FloatArray, LabelIndex, Progress, label_index
from molclip.describe.recorded import Recorded, find, relative
from molclip.describe.vocabulary import definitions
from molclip.errors import InputError
from molclip.models.zero_shot import percentiles_among
from molclip.text.lexicon import load_lexicon

if TYPE_CHECKING:
    from molclip.models.molclip import MolCLIP
    from molclip.search.library import Library

MARGIN = 0.5
"""Standard deviations above a label's line from which a class or role is listed (docs/describe.md
has what was measured)."""
USE_MARGIN = 1.0
"""The same for uses, beyond `MARGIN` where that is higher."""
TOP = 8
_BROADER = 6
_EVERY_ROW = 10**9


def describe(
    molecule: str | Molecule,
    *,
    model: MolCLIP | str | None = None,
    library: Library | str | None = None,
    margin: float = MARGIN,
    top: int = TOP,
) -> Description:
    """Say what a molecule is, what it may do, and how sure that is.

    For many molecules make one `Describer` and ask it again and again.

    Parameters
    ----------
    molecule
        SMILES, InChI, mol block or `Molecule`.
    model
        Model, name or folder; None is the one of the library.
    library
        Library, or its folder, whose molecules are the background of percentiles; None is the
        embedded one.
    margin, top
        As in `Describer.describe`.

    Raises
    ------
    InputError
        When the molecule cannot be read, or an option is wrong.
    LibraryError
        When the library is of another model, or too small.
    """
    from molclip.search.library import Library

    if library is None or isinstance(library, str):
        library = Library.open(library, model)
    return Describer(library).describe(molecule, margin=margin, top=top)


class Describer:
    """Describes molecules against one library.

    Parameters
    ----------
    library
        Its molecules are the background of percentiles (the curated ones, where it knows them), its
        model reads molecules and labels.
    progress
        Told about the one-time reading of the label texts.
    """

    def __init__(self, library: Library, progress: Progress | None = None) -> None:
        self.library = library
        self._progress = progress

    @cached_property
    def background(self) -> FloatArray:
        """Unit vectors ``(M, D)``."""
        return self.library.vectors(_EVERY_ROW)

    @cached_property
    def index(self) -> LabelIndex:
        """The labels; read on first use, which takes a while once for each model."""
        return label_index(self.library.model, self.background, self._progress)

    @cached_property
    def _ontology(self) -> Ontology:
        return Ontology.load()

    @cached_property
    def _places(self) -> dict[str, int]:
        return {label.id: place for place, label in enumerate(self.index.labels)}

    def describe(
        self, molecule: str | Molecule, *, margin: float = MARGIN, top: int = TOP
    ) -> Description:
        """Describe one molecule.

        Parameters
        ----------
        molecule
            SMILES, InChI, mol block or `Molecule`.
        margin
            A class or role that is not recorded is listed when the molecule's score lies at least
            this many standard deviations above the label's line (see `label_index`).
        top
            Most statements of each kind, recorded and predicted counted apart.

        Raises
        ------
        InputError
            When the molecule cannot be read, or an option is wrong.
        """
        if not np.isfinite(margin):
            raise InputError(f"The margin is {margin}.", "Give a number such as 0.5.")
        if isinstance(top, bool) or not hasattr(top, "__index__") or top < 1:
            raise InputError(f"top is {top!r}.", "Give a whole number from 1.")
        encoded = self.library.model.encode_molecules([molecule])
        read = encoded.molecules[0]
        if isinstance(read, ParseFailure):
            raise InputError(f"The molecule cannot be read: {read.reason}", read.hint)
        return _Work(self, read, encoded.vectors[0], float(margin), int(top)).description()


class _Work:
    """One description on its way."""

    def __init__(
        self, describer: Describer, molecule: Molecule, vector: FloatArray, margin: float, top: int
    ) -> None:
        self._describer = describer
        self._index = describer.index
        self._places = describer._places
        self._ontology = describer._ontology
        self._molecule = molecule
        self._vector = vector
        self._margin = margin
        self._top = top
        self._scores, self._margins = self._index.margins(vector)
        self._recorded = find(molecule)
        terms = self._recorded.terms(self._ontology) if self._recorded else frozenset()
        self._known: frozenset[str] = terms

    def description(self) -> Description:
        """Put everything together."""
        from molclip.chem.descriptors import properties
        from molclip.search.describe import rounded

        classes, roles, uses = self._classes(), self._roles(), self._uses()
        classes, roles, uses = self._measured([classes, roles, uses])
        values = rounded(properties(self._molecule.mol))
        library, handle = self._describer.library, self._describer.library._handle
        seen = handle.seen
        return Description(
            molecule=self._molecule,
            record=self._recorded.record if self._recorded else None,
            seen=None if seen is None else self._molecule.inchikey in seen,
            classes=classes,
            roles=roles,
            uses=uses,
            definitions=self._definitions([*classes, *roles, *uses]),
            captions=self._captions(classes, roles, values),
            properties=values,
            margin=self._margin,
            background=len(self._describer.background),
            model_hash=library.model.model_hash,
            remarks=self._remarks(),
        )

    # Labels ------------------------------------------------------------------------------------

    def _classes(self) -> list[Statement]:
        found = []
        if self._recorded is not None:
            direct = self._recorded.classes(self._ontology)
            direct.sort(key=self._share)
            found = [self._stated("class", id_) for id_ in direct[: self._top]]
        return [*found, *self._predicted("class")]

    def _roles(self) -> list[Statement]:
        found = []
        if self._recorded is not None:
            for id_, via in self._recorded.roles(self._ontology)[: self._top]:
                found.append(replace(self._stated("role", id_), via=via))
        return [*found, *self._predicted("role")]

    def _uses(self) -> list[Statement]:
        line = max(USE_MARGIN, self._margin)
        passing = [
            place
            for place, label in enumerate(self._index.labels)
            if label.kind == "use" and self._margins[place] >= line
        ]
        passing.sort(key=lambda place: -float(self._margins[place]))
        return [
            Statement(
                kind="use",
                text=self._index.labels[place].name,
                evidence="predicted",
                source="model, with the words of ChemFuncT",
                id=self._index.labels[place].id,
            )
            for place in passing[: self._top]
        ]

    def _predicted(self, kind: str) -> list[Statement]:
        """Labels that pass, the most specific of each line of descent, the best first."""
        passing = {
            label.id
            for place, label in enumerate(self._index.labels)
            if label.kind == kind
            and label.id not in self._known
            and self._margins[place] >= self._margin
        }
        above = {parent for id_ in passing for parent in self._ontology.ancestors(id_)}
        narrow = sorted(
            (id_ for id_ in passing if id_ not in above),
            key=lambda id_: -float(self._margins[self._places[id_]]),
        )
        return [self._guess(kind, id_, passing) for id_ in narrow[: self._top]]

    def _guess(self, kind: Any, id_: str, passing: Iterable[str]) -> Statement:
        above = self._ontology.ancestors(id_)
        return Statement(
            kind=kind,
            text=self._ontology.name(id_),
            evidence="predicted",
            source="model, with the words of ChEBI",
            id=id_,
            plain=load_lexicon().get(id_, ()),
            broader=self._narrow_first(above.intersection([*passing, *self._known])),
        )

    def _stated(self, kind: Any, id_: str) -> Statement:
        return Statement(
            kind=kind,
            text=self._ontology.name(id_),
            evidence="recorded",
            source="ChEBI",
            id=id_,
            plain=load_lexicon().get(id_, ()),
            broader=self._narrow_first(self._ontology.ancestors(id_)),
        )

    def _narrow_first(self, ids: Iterable[str]) -> tuple[str, ...]:
        known = sorted((id_ for id_ in ids if id_ in self._places), key=self._share)
        return tuple(self._ontology.name(id_) for id_ in known[:_BROADER])

    def _share(self, id_: str) -> tuple[float, str]:
        place = self._places.get(id_)
        return (0.0 if place is None else self._index.labels[place].share), id_

    def _measured(self, lists: Sequence[list[Statement]]) -> list[list[Statement]]:
        """The statements with score, percentile, share and margin, where the label has a vector."""
        ids = {entry.id for entries in lists for entry in entries if entry.id in self._places}
        places = sorted(self._places[id_] for id_ in ids if id_ is not None)
        percentiles = dict(zip(places, self._percentiles(self._index.vectors[places]), strict=True))

        def measured(entry: Statement) -> Statement:
            place = self._places.get(entry.id or "")
            if place is None:
                return entry
            return replace(
                entry,
                score=float(self._scores[place]),
                percentile=percentiles[place],
                share=self._index.labels[place].share,
                margin=float(self._margins[place]),
            )

        return [[measured(entry) for entry in entries] for entries in lists]

    def _percentiles(self, vectors: FloatArray) -> list[float]:
        scores = (vectors @ self._vector)[None, :]
        found = percentiles_among(scores, self._describer.background @ vectors.T)
        return [100.0 * float(value) for value in found[0]]

    # Sentences ---------------------------------------------------------------------------------

    def _definitions(self, entries: Sequence[Statement]) -> list[Statement]:
        """What is written about the statements and what lies above them."""
        written = definitions()
        named = {entry.name: entry for entry in written.values()}
        chosen: dict[str, Evidence] = {}
        for direct in (True, False):
            for entry in entries:
                names = (entry.text,) if direct else entry.broader
                for name in names:
                    if name in named and named[name].id not in chosen:
                        stated = named[name].id in self._known
                        chosen[named[name].id] = "recorded" if stated else "predicted"
        kept = [id_ for id_, evidence in chosen.items() if evidence == "recorded"][: self._top]
        kept += [id_ for id_, evidence in chosen.items() if evidence == "predicted"][: self._top]
        return self._weighed(
            [
                Statement(
                    kind="definition",
                    text=written[id_].text,
                    evidence=chosen[id_],
                    source=written[id_].source,
                    id=id_,
                    of=written[id_].name,
                )
                for id_ in kept
            ]
        )

    def _captions(
        self, classes: list[Statement], roles: list[Statement], properties: dict[str, Any]
    ) -> list[Statement]:
        made: list[Statement] = []

        def add(text: str, evidence: Evidence, source: str) -> None:
            if text and all(text != entry.text for entry in made):
                made.append(Statement("caption", text, evidence, source))

        for evidence, source in (
            ("recorded", "made from ChEBI’s facts"),
            ("predicted", "made from the model’s predictions"),
        ):
            kinds = [entry for entry in classes if entry.evidence == evidence]
            does = [entry for entry in roles if entry.evidence == evidence]
            fact = self._recorded.fact if self._recorded and evidence == "recorded" else None
            add(
                sentences.formal(
                    fact.name if fact else None,
                    [entry.text for entry in kinds],
                    [entry.text for entry in does],
                    self._relations(self._recorded) if fact else (),
                ),
                evidence,  # type: ignore[arg-type]
                source,
            )
            add(
                sentences.plain(
                    [entry.plain[0] for entry in kinds if entry.plain],
                    [entry.plain[0] for entry in does if entry.plain],
                ),
                evidence,  # type: ignore[arg-type]
                f"{source}, in everyday words",
            )
        add(sentences.of_properties(properties), "calculated", "made from properties (RDKit)")
        return self._weighed(made)

    def _relations(self, recorded: Recorded | None) -> list[tuple[str, str]]:
        pairs = recorded.fact.relations if recorded else ()
        named = ((kind, self._ontology.name(target)) for kind, target in pairs)
        return [(kind, name) for kind, name in named if not name.startswith("CHEBI:")]

    def _weighed(self, entries: list[Statement]) -> list[Statement]:
        """Sentences with their own score and percentile."""
        if not entries:
            return []
        import warnings

        with warnings.catch_warnings():
            # What is longer than the model reads is compared as far as it reads.
            warnings.simplefilter("ignore", UserWarning)
            vectors = self._describer.library.model.encode_text([entry.text for entry in entries])
        scores = vectors @ self._vector
        return [
            replace(entry, score=float(score), percentile=percentile)
            for entry, score, percentile in zip(
                entries, scores, self._percentiles(vectors), strict=True
            )
        ]

    def _remarks(self) -> list[str]:
        said = [f"{warning}." for warning in self._molecule.warnings]
        if self._recorded is not None and not self._recorded.exact:
            said.append(
                f"ChEBI’s entry {self._recorded.fact.name} has the same InChIKey but is drawn as "
                "another tautomer or form."
            )
        if self._recorded is None:
            near = relative(self._molecule)
            if near is not None:
                said.append(
                    f"ChEBI has {near.name} ({near.chebi_id}) of the same skeleton with other "
                    "stereo or charge; its facts are not taken over."
                )
        return said
