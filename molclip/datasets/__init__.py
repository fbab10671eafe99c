"""Named data sets, the embedded library's facts and ontology, and the refusal list."""

from molclip.datasets.facts import Fact, Facts, load_facts
from molclip.datasets.ontology import Ontology, Term
from molclip.datasets.refusal import RefusalList
from molclip.datasets.registry import load, names

__all__ = ["Fact", "Facts", "Ontology", "RefusalList", "Term", "load", "load_facts", "names"]
