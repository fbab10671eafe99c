"""Print the counts that the data card quotes, as a Markdown table.

python -m molclip.data.summary [LIBRARY_PARQUET TERMS_PARQUET]
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq


def counts(library: Path, terms: Path) -> dict[str, int]:
    """Counts by name, in the order of the card."""
    rows = pq.read_table(library)
    found = {
        "molecules": rows.num_rows,
        "distinct InChIKeys": len(set(rows["inchikey"].to_pylist())),
        "curated (3 stars)": sum(rows["curated"].to_pylist()),
    }
    for column in ("classes", "roles", "relations", "synonyms", "merged_ids"):
        found[f"with {column}"] = sum(bool(cell) for cell in rows[column].to_pylist())
    sources = Counter(rows["structure_source"].to_pylist())
    found.update({f"structure_source {s}": n for s, n in sources.most_common()})
    table = pq.read_table(terms)
    found["terms"] = table.num_rows
    found.update(
        {f"terms of kind {k}": n for k, n in sorted(Counter(table["kind"].to_pylist()).items())}
    )
    return found


def main(argv: list[str]) -> None:
    """Print the table for the shipped files or for those given."""
    here = Path(__file__).parent
    library, terms = map(Path, argv) if argv else (here / "library.parquet", here / "terms.parquet")
    print("| what | number |\n|---|---|")
    for name, number in counts(library, terms).items():
        print(f"| {name} | {number:,} |")


if __name__ == "__main__":
    main(sys.argv[1:])
