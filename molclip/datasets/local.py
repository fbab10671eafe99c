"""Data sets that lie as tab-separated files in a folder of the user's."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.datasets.tables import Column, Table, description, features
from molclip.errors import InputError

if TYPE_CHECKING:
    from datasets import Dataset

FOLDER_VARIABLE = "MOLCLIP_DATA"
"""Environment variable that names the folder when `path` does not."""

_SMILES = Column("smiles", "string", "structure as its source writes it")
_MOLECULENET = "MoleculeNet (Wu et al., Chem. Sci. 2018, 9, 513)"
_MIXED = "see the original publications of each set"
_CHEBI = "ChEBI (Hastings et al., Nucleic Acids Res. 2016, 44, D1214)"
_CC_BY = "CC BY 4.0"
_SIDER = (
    "Hepatobiliary disorders",
    "Metabolism and nutrition disorders",
    "Product issues",
    "Eye disorders",
    "Investigations",
    "Musculoskeletal and connective tissue disorders",
    "Gastrointestinal disorders",
    "Social circumstances",
    "Immune system disorders",
    "Reproductive system and breast disorders",
    "Neoplasms benign, malignant and unspecified (incl cysts and polyps)",
    "General disorders and administration site conditions",
    "Endocrine disorders",
    "Surgical and medical procedures",
    "Vascular disorders",
    "Blood and lymphatic system disorders",
    "Skin and subcutaneous tissue disorders",
    "Congenital, familial and genetic disorders",
    "Infections and infestations",
    "Respiratory, thoracic and mediastinal disorders",
    "Psychiatric disorders",
    "Renal and urinary disorders",
    "Pregnancy, puerperium and perinatal conditions",
    "Ear and labyrinth disorders",
    "Cardiac disorders",
    "Nervous system disorders",
    "Injury, poisoning and procedural complications",
)
_TOX21 = (
    "NR-AR",
    "NR-AR-LBD",
    "NR-AhR",
    "NR-Aromatase",
    "NR-ER",
    "NR-ER-LBD",
    "NR-PPAR-gamma",
    "SR-ARE",
    "SR-ATAD5",
    "SR-HSE",
    "SR-MMP",
    "SR-p53",
)

# The training set of NPClassifier has Greek letters that were read in a Korean encoding.
_GREEK = str.maketrans({"棺": "beta", "顆": "psi", "琯": "epsilon", "觀": "kappa"})

TABLES: tuple[Table, ...] = (
    Table(
        "npclassifier",
        "npclassifier.tsv.gz",
        (
            _SMILES,
            Column("pathway", "string", "biosynthetic pathway, one of 7"),
            Column("superclass", "string", "one of 70"),
            Column("class", "string", "one of 652"),
        ),
        "Natural products with their biosynthetic class.",
        "NPClassifier training set (Kim et al., J. Nat. Prod. 2021, 84, 2795)",
        "MIT",
    ),
    Table(
        "chemfunct",
        "chemfunct_molecules.tsv.gz",
        (
            Column("dtxsid", "string", "DSSTox substance id"),
            Column("name", "string", "substance name"),
            _SMILES,
            Column("classes", "list", "functional uses", "|"),
        ),
        "Chemicals with their functional uses; mixtures are noisy.",
        "ChemFuncT, the package chemfunct 1.0.2",
        "CC0",
    ),
    Table(
        "chemfunct-classes",
        "chemfunct_classes.tsv.gz",
        (
            Column("id", "string", "class id"),
            Column("class", "string", "functional use, as in chemfunct's classes"),
            Column("description", "string", "written definition"),
            Column("n_mapped", "int", "substances with this use"),
        ),
        "Functional uses with a written definition each.",
        "ChemFuncT, the package chemfunct 1.0.2",
        "CC0",
    ),
    Table(
        "odour",
        "odour_gs_lf.tsv.gz",
        (_SMILES, Column("descriptors", "list", "words for the smell, of 138")),
        "Odorous molecules with the words that people use for their smell.",
        "GoodScents and Leffingwell, as curated by OpenPOM",
        "MIT",
    ),
    Table(
        "drug-mechanisms",
        "drug_mechanisms.tsv.gz",
        (
            Column("name", "string", "drug name"),
            Column("clinical_phase", "string", "Preclinical, Phase 1 … Launched"),
            Column("moa", "list", "mechanisms of action", "|"),
            Column("target", "list", "gene symbols of the targets", "|"),
            Column("disease_area", "list", "areas of medicine", "|"),
            Column("indication", "list", "what it is given for", "|"),
            _SMILES,
            Column("inchikey", "string", "standard InChIKey"),
        ),
        "Drugs with mechanism, target and indication.",
        "Broad Drug Repurposing Hub, 2020-03-24",
        _CC_BY,
    ),
    Table(
        "moleculenet-bace",
        "moleculenet_bace.tsv.gz",
        (_SMILES, Column("Class", "label", "1: inhibits beta-secretase 1")),
        "Beta-secretase 1 inhibition.",
        _MOLECULENET,
        _MIXED,
    ),
    Table(
        "moleculenet-bbbp",
        "moleculenet_bbbp.tsv.gz",
        (_SMILES, Column("p_np", "label", "1: passes the blood-brain barrier")),
        "Passage of the blood-brain barrier.",
        _MOLECULENET,
        _MIXED,
    ),
    Table(
        "moleculenet-clintox",
        "moleculenet_clintox.tsv.gz",
        (
            _SMILES,
            Column("FDA_APPROVED", "label", "1: approved"),
            Column("CT_TOX", "label", "1: failed clinical trials for toxicity"),
        ),
        "Approved drugs and drugs that failed for toxicity.",
        _MOLECULENET,
        _MIXED,
    ),
    Table(
        "moleculenet-sider",
        "moleculenet_sider.tsv.gz",
        (
            _SMILES,
            *(Column(name, "label", f"1: side effects, {name.lower()}") for name in _SIDER),
        ),
        "Side effects of marketed drugs by organ system.",
        _MOLECULENET,
        _MIXED,
    ),
    Table(
        "moleculenet-tox21",
        "moleculenet_tox21.tsv.gz",
        (
            Column("mol_id", "string", "Tox21 id"),
            _SMILES,
            *(
                Column(name, "label", f"1: active in assay {name}; None: untested")
                for name in _TOX21
            ),
        ),
        "Twelve toxicity assays.",
        _MOLECULENET,
        _MIXED,
    ),
    Table(
        "chebi-synonyms",
        "chebi_synonyms.tsv.gz",
        (
            Column("chebi_id", "string", "ChEBI id"),
            Column("synonym", "string", "another name, often an IUPAC name"),
        ),
        "Further names of curated ChEBI entries.",
        _CHEBI,
        _CC_BY,
    ),
    Table(
        "chebi-definitions",
        "chebi_definitions.tsv.gz",
        (
            Column("chebi_id", "string", "ChEBI id of a class or a molecule"),
            Column("definition", "string", "written definition"),
        ),
        "Written definitions of ChEBI classes and of some molecules.",
        _CHEBI,
        _CC_BY,
    ),
    Table(
        "chebi-molecules",
        "chebi_molecules.tsv.gz",
        (
            Column("chebi_id", "string", "ChEBI id"),
            Column("name", "string", "ChEBI name"),
            _SMILES,
            Column("inchikey", "string", "standard InChIKey"),
            Column("stars3", "flag", "checked by ChEBI's curators"),
            Column(
                "chebi20_split",
                "string",
                "train, validation, none, or test_skeleton (first block of a test molecule)",
            ),
        ),
        "ChEBI molecules without those of the ChEBI-20 test split.",
        _CHEBI,
        _CC_BY,
        split_column="chebi20_split",
    ),
)


def folder(path: str | PathLike[str] | None, name: str) -> Path:
    """The folder to read from: `path`, else what `MOLCLIP_DATA` names.

    Raises
    ------
    molclip.errors.InputError
        When neither is given, or it is no folder.
    """
    given = path if path is not None else os.environ.get(FOLDER_VARIABLE)
    if not given:
        raise InputError(
            f"The data set {name!r} is not part of molclip and needs a folder.",
            f"Give path=…, or set {FOLDER_VARIABLE} to the folder that holds its file.",
        )
    found = Path(given)
    if not found.is_dir():
        raise InputError(f"{found} is not a folder.", f"Give the folder that holds {name!r}.")
    return found


def read_cells(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """1-based row numbers and cells of a tab-separated file, gzipped or not.

    Raises
    ------
    molclip.errors.InputError
        When the file is missing, not UTF-8, or a row has another number of cells.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8-sig", newline="") as handle:
            reader = csv.reader(handle, delimiter="\t")
            header = next(reader, [])
            for number, cells in enumerate(reader, start=1):
                if len(cells) != len(header):
                    raise InputError(
                        f"{path}, row {number}: {len(cells)} cells where the header has "
                        f"{len(header)}.",
                        "The file may be cut short or not tab-separated.",
                    )
                repaired = [cell.translate(_GREEK) for cell in cells]
                yield number, dict(zip(header, repaired, strict=True))
    except FileNotFoundError as error:
        raise InputError(
            f"{path.parent} holds no {path.name}.", "Check the folder, or get the file first."
        ) from error
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"Cannot read {path}: {error}.", "The file may be damaged.") from error


def read_table(table: Table, path: str | PathLike[str] | None) -> Dataset:
    """Read one table as a `datasets.Dataset` with typed features.

    Raises
    ------
    molclip.errors.InputError
        When folder, file or a column is missing, or a cell is no value of its type.
    """
    from datasets import Dataset, DatasetInfo

    source = folder(path, table.name) / table.file
    columns: dict[str, list[Any]] = {column.name: [] for column in table.columns}
    for number, cells in read_cells(source):
        for column in table.columns:
            if column.name not in cells:
                raise InputError(
                    f"{source} has no column {column.name!r}; it has {', '.join(cells)}.",
                    f"Is it the file of {table.name!r}?",
                )
            try:
                columns[column.name].append(column.read(cells[column.name]))
            except ValueError as error:
                raise InputError(
                    f"{source}, row {number}, column {column.name!r}: {error}."
                ) from error
    info = DatasetInfo(
        description=description(table.about, table.columns),
        citation=table.source,
        license=table.licence,
        features=features(table.columns),
    )
    return Dataset.from_dict(columns, features=info.features, info=info)
