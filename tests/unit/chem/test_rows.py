"""N rows in, N rows out; memory does not grow with the file."""

import csv
import io
import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from molclip.chem.readers import read_molecules, read_records

CELL = st.text(
    alphabet=st.characters(
        blacklist_categories=("Cs", "Cc"), blacklist_characters="\u2028\u2029\x85"
    ),
    max_size=12,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(CELL, CELL, CELL), min_size=1, max_size=12))
def test_every_csv_row_comes_back_in_place(table):
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, quoting=csv.QUOTE_ALL)
    writer.writerow(["id", "smiles", "note"])
    writer.writerows(table)
    stream.seek(0)
    found = list(read_records(io.BytesIO(stream.getvalue().encode()), format="csv"))
    assert [record.row for record in found] == list(range(1, len(table) + 1))
    assert [(record.id or "", record.text, record.properties["note"]) for record in found] == [
        (identifier.strip(), text, note) for identifier, text, note in table
    ]


@settings(max_examples=30, deadline=None)
@given(st.lists(CELL, min_size=1, max_size=12))
def test_every_line_comes_back_in_place(lines):
    text = "CCO first\n" + "".join(f"{line}\n" for line in lines) + "C last\n"
    found = list(read_molecules(io.BytesIO(text.encode()), format="smi"))
    assert [item.row for item in found] == list(range(1, len(lines) + 3))
    assert found[-1].name == "last"


READ_BOTH = """
import resource, sys
from molclip.chem.readers import read_records

for path in sys.argv[1:]:
    count = sum(1 for _ in read_records(path))
    print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_two_hundred_thousand_rows_in_constant_memory(tmp_path):
    """The second file is a hundred times the first; the peak of the process hardly moves."""
    paths = [tmp_path / "small.csv", tmp_path / "big.csv"]
    for path, rows in zip(paths, (2_000, 200_000), strict=True):
        with path.open("w", encoding="utf-8") as stream:
            stream.write("id,smiles,note\n")
            for i in range(rows):
                stream.write(f'M{i},{"C" * (1 + i % 30)}O,"a, quoted note {i}"\n')
    done = subprocess.run(
        [sys.executable, "-c", READ_BOTH, *map(str, paths)],
        capture_output=True,
        text=True,
        check=True,
    )
    (few, before), (many, after) = (map(int, line.split()) for line in done.stdout.splitlines())
    assert (few, many) == (2_000, 200_000)
    assert paths[1].stat().st_size > 7_000_000
    assert after - before < 2_000  # kB
