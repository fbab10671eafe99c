"""Names with their structures, made without end: relatives of known names, read by OPSIN.

`python -m molclip.training.nomenclature OUT.tsv.gz` alters the names of training molecules
(`text.name_mutations`) and keeps what OPSIN can read, with the structure that OPSIN gives. Names of
validation and test molecules are no seeds, and what turns out to be such a molecule is refused
when the file is read (`training.corpus`). Needs Java and the packages `py2opsin` (OPSIN, MIT;
Lowe et al., Chemical Name to Structure: OPSIN, an Open Source Solution, J. Chem. Inf. Model. 2011,
51, 739) and, for more seeds, `chemicals` (MIT).
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import os
import random
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from molclip.chem.protonation import partner
from molclip.errors import InputError
from molclip.text.name_mutations import mutate

COLUMNS = ("smiles", "name", "seed", "relation", "other")
_LONGEST_NAME = 140
_NAMES_PER_CALL = 20_000
# How the catalogue's program writes prefixes, and how everyone else does.
_PREFIXES = (
    ("chloranyl", "chloro"),
    ("bromanyl", "bromo"),
    ("fluoranyl", "fluoro"),
    ("iodanyl", "iodo"),
    ("oxidanylidene", "oxo"),
    ("oxidanyl", "hydroxy"),
    ("azanyl", "amino"),
)
_TIMES = {"bis": "di", "tris": "tri", "tetrakis": "tetra", "pentakis": "penta", "hexakis": "hexa"}
_MULTIPLIED = re.compile(rf"({'|'.join(_TIMES)})\((chloro|bromo|fluoro|iodo|oxo|hydroxy|amino)\)")
# Mutations of a name that OPSIN could read in the first round.
_MORE = 5
# Share of altered names whose molecule is tried for a charged partner.
_CHARGED = 0.45


def read_names(names: Sequence[str], processes: int = 2) -> list[str]:
    """SMILES of names, row-aligned; empty where OPSIN cannot read one.

    Raises
    ------
    InputError
        When OPSIN or Java is not there.
    """
    jar = _jar()
    parts = [names[i : i + _NAMES_PER_CALL] for i in range(0, len(names), _NAMES_PER_CALL)]
    with ThreadPoolExecutor(processes) as pool:
        return [
            smiles for part in pool.map(lambda part: _opsin(jar, part), parts) for smiles in part
        ]


def _opsin(jar: Path, names: Sequence[str]) -> list[str]:
    text = "\n".join(" ".join(name.split()) for name in names) + "\n"
    try:
        answer = subprocess.run(
            ["java", "-jar", str(jar), "-osmi"],
            input=text,
            capture_output=True,
            text=True,
            check=True,
        )
    except FileNotFoundError:
        raise InputError(
            "OPSIN needs Java, and there is none.", "Install a Java runtime."
        ) from None
    found = answer.stdout.split("\n")[: len(names)]
    if len(found) != len(names):
        raise InputError(f"OPSIN answered {len(found)} of {len(names)} names.", "Try again.")
    return found


def _jar() -> Path:
    spec = importlib.util.find_spec("py2opsin")
    jars = sorted(Path(spec.origin).parent.glob("opsin*.jar")) if spec and spec.origin else []
    if not jars:
        raise InputError("OPSIN is not installed.", "pip install py2opsin")
    return jars[-1]


def catalogue() -> Iterator[tuple[str, str]]:
    """SMILES and systematic name of the compounds of the package `chemicals`; none without it."""
    spec = importlib.util.find_spec("chemicals")
    if spec is None or spec.origin is None:
        return
    folder = Path(spec.origin).parent / "Identifiers"
    with (folder / "chemical identifiers pubchem large.tsv").open(encoding="utf-8") as lines:
        for line in lines:
            cells = line.rstrip("\n").split("\t")
            if len(cells) > 7 and cells[4] and cells[7]:
                yield cells[4], usual_prefixes(cells[7])


def usual_prefixes(name: str) -> str:
    """A name with the prefixes that chemists use: `chloro` for `chloranyl`, `dichloro` for two."""
    for long, short in _PREFIXES:
        name = name.replace(long, short)
    return _MULTIPLIED.sub(lambda match: _TIMES[match[1]] + match[2], name)


def relatives(seeds: Sequence[tuple[str, str]], seed: int = 0) -> Iterator[tuple[str, str, str]]:
    """Altered names and their structures.

    Parameters
    ----------
    seeds
        `(id, name)` of training molecules.
    seed
        Of the alterations.

    Yields
    ------
    SMILES, name and id of the seed; several of a seed whose name OPSIN reads.
    """
    rng = random.Random(f"nomenclature/{seed}")
    said = {name for _, name in seeds}
    first = _altered(seeds, 1, rng, said)
    kept = set()
    for origin, name, smiles in _read(first):
        kept.add(origin)
        yield smiles, name, origin[0]
    again = [origin for origin in seeds if origin in kept]
    for origin, name, smiles in _read(_altered(again, _MORE, rng, said)):
        yield smiles, name, origin[0]


def _altered(
    seeds: Iterable[tuple[str, str]], times: int, rng: random.Random, said: set[str]
) -> list[tuple[tuple[str, str], str]]:
    made = []
    for origin in seeds:
        for _ in range(times):
            name = mutate(origin[1], rng, rng.choice((1, 1, 2)))
            if name and len(name) <= _LONGEST_NAME and name not in said:
                said.add(name)
                made.append((origin, name))
    return made


def _read(made: list[tuple[tuple[str, str], str]]) -> Iterator[tuple[tuple[str, str], str, str]]:
    for (origin, name), smiles in zip(made, read_names([name for _, name in made]), strict=True):
        # A name of two words that belong to two molecules is read as a mixture of them.
        if smiles and ("." not in smiles or "." in origin[1] or "chlor" in name):
            yield origin, name, smiles


def partners(rows: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, str, str, str, str]]:
    """Charged partners of rows of `relatives`, with the relation and the name they relate to."""
    for smiles, name, origin in rows:
        found = partner(smiles, name)
        if found is not None and len(found.name) <= _LONGEST_NAME:
            yield found.smiles, found.name, origin, found.relation, name


def main() -> None:
    """Write the file."""
    from molclip.training.corpus import load_corpus
    from molclip.training.features import FeatureStore

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="file to write, .tsv.gz")
    parser.add_argument("--limit", type=int, default=135_000, help="altered names to keep")
    parser.add_argument("--seed", type=int, default=0, help="of the draws and alterations")
    parser.add_argument(
        "--seeds", type=int, help="names of training molecules to alter; all by default"
    )
    parser.add_argument(
        "--catalogue", type=int, help="names of the catalogue to use; all by default"
    )
    arguments = parser.parse_args()
    folder = os.environ.get("MOLCLIP_DATA")
    cache = os.environ.get("MOLCLIP_CACHE")
    if not folder or not cache:
        sys.exit("Set MOLCLIP_DATA to the folder of the sources and MOLCLIP_CACHE to the cache.")
    store = FeatureStore(Path(cache))
    corpus = load_corpus(Path(folder), store.keys)
    seeds = list(
        dict.fromkeys(
            (entry.id, name)
            for entry in corpus.entries
            for name in entry.facts.names
            if 5 <= len(name) <= _LONGEST_NAME and re.search("[a-z]{3}", name)
        )
    )
    rng = random.Random(f"chosen/{arguments.seed}")
    known = [(smiles, name) for smiles, name in catalogue() if len(name) <= _LONGEST_NAME]
    kept = _not_refused(_sampled(known, arguments.catalogue, rng), store)
    seeds = [*_sampled(seeds, arguments.seeds, rng), *(("", name) for _, name in kept)]
    made = list(relatives(seeds, arguments.seed))
    made = rng.sample(made, min(len(made), arguments.limit))
    charged = list(partners(rng.sample(made, int(_CHARGED * len(made)))))
    with gzip.open(arguments.out, "wt", encoding="utf-8") as out:
        print(*COLUMNS, sep="\t", file=out)
        for smiles, name in kept:
            print(smiles, name, "", "", "", sep="\t", file=out)
        for row in made:
            print(*row, "", "", sep="\t", file=out)
        for charged_row in charged:
            print(*charged_row, sep="\t", file=out)
    print(
        f"{len(seeds):,} names gave {len(made):,} others and {len(charged):,} charged partners of "
        f"these; {len(kept):,} names are of the catalogue."
    )


def _sampled(
    rows: list[tuple[str, str]], count: int | None, rng: random.Random
) -> list[tuple[str, str]]:
    return rows if count is None or count >= len(rows) else rng.sample(rows, count)


def _not_refused(rows: list[tuple[str, str]], store: object) -> list[tuple[str, str]]:
    from molclip.datasets.held_out import is_held_out
    from molclip.datasets.refusal import RefusalList
    from molclip.training.features import FeatureStore

    assert isinstance(store, FeatureStore)
    refusal = RefusalList.load()
    keys = store.keys([smiles for smiles, _ in rows])
    return [
        row
        for row, key in zip(rows, keys, strict=True)
        if key and not refusal.refuses(key, skeleton=True) and not is_held_out(key)
    ]


if __name__ == "__main__":
    main()
