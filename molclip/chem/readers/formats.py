"""Which format a file has: as asked, by its extension, or by its first bytes."""

from molclip.chem.readers.lines import decode_head
from molclip.chem.readers.source import Source
from molclip.errors import InputError

SUFFIXES = {
    ".smi": "smi",
    ".smiles": "smi",
    ".txt": "smi",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".sdf": "sdf",
    ".sd": "sdf",
    ".mol": "sdf",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".xlsx": "xlsx",
}
FORMATS = tuple(dict.fromkeys(SUFFIXES.values()))
_RELATIVES = {
    ".xls": "Save it as .xlsx or .csv first.",
    ".json": "Write one JSON object per line (.jsonl) first.",
    ".mol2": "Convert it to .sdf first.",
    ".pdb": "Convert it to .sdf first.",
    ".zip": "Unpack it first.",
    ".bz2": "Unpack it, or use .gz.",
    ".xz": "Unpack it, or use .gz.",
}


def format_of(source: Source, asked: str | None) -> str:
    """Return the format of a source: as asked, by its file name, or by its first bytes.

    Raises
    ------
    InputError
        When the format asked for or the file's extension is unknown.
    """
    if asked is not None:
        known = SUFFIXES.get("." + asked.lower().removeprefix(".").removesuffix(".gz"))
        known = known or (asked.lower() if asked.lower() in FORMATS else None)
        if known is None:
            raise InputError(f"Unknown file format {asked!r}.", f"Use one of {', '.join(FORMATS)}.")
        return known
    if source.path is None:
        return sniff_format(source.head)
    path = source.path.with_suffix("") if source.path.suffix.lower() == ".gz" else source.path
    suffix = path.suffix.lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    what = f"the extension {suffix}" if suffix else "no extension"
    raise InputError(
        f"{source.shown} has {what}, which says nothing about its format.",
        _RELATIVES.get(suffix, "")
        or f"Rename it or give the format: {', '.join(FORMATS)}; extensions "
        f"{' '.join(SUFFIXES)} are known, each also with .gz.",
    )


def sniff_format(head: bytes) -> str:
    """Guess a format from the first bytes of a file."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"PK\x03\x04"):
        return "xlsx"
    text = decode_head(head)
    if "M  END" in text or "$$$$" in text or " V2000" in text or " V3000" in text:
        return "sdf"
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first.lstrip().startswith("{"):
        return "jsonl"
    if "\t" in first:
        return "tsv"
    if first.lstrip('"').lower().startswith("inchi=") and not first.startswith('"'):
        return "smi"
    # A CXSMILES extension (|...|) is the one place in a line of SMILES that may hold a comma.
    outside = "".join(first.split("|")[::2])
    return "csv" if "," in outside or ";" in outside else "smi"
