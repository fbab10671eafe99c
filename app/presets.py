"""Examples to click."""

from __future__ import annotations

SEARCHES: tuple[tuple[str, str, str], ...] = (
    # What the button says, words, structure.
    ("beta-lactam antibiotic", "beta-lactam antibiotic", ""),
    (
        "bitter alkaloid from cinchona bark",
        "bitter alkaloid from cinchona bark used against malaria",
        "",
    ),
    ("statin", "statin that inhibits HMG-CoA reductase", ""),
    ("plant flavonol", "plant flavonol with antioxidant activity", ""),
    ("caffeine", "caffeine", ""),
    ("like aspirin", "", "CC(=O)Oc1ccccc1C(=O)O"),
    ("morphine, but an antagonist", "opioid antagonist", "morphine"),
)

CLASSIFICATIONS: tuple[tuple[str, str, str, str], ...] = (
    # What the button says, molecules, key of a set of labels, labels of one's own.
    ("ibuprofen: which medicine?", "CC(C)Cc1ccc(cc1)C(C)C(=O)O", "medicines", ""),
    ("caffeine: which class?", "caffeine", "natural-products", ""),
    ("vanillin: which smell?", "vanillin", "odours", ""),
    (
        "cholesterol: none of these?",
        "C[C@H](CCCC(C)C)[C@H]1CC[C@@H]2[C@@]1(CC[C@H]3[C@H]2CC=C4[C@@]3(CC[C@@H](C4)O)C)C",
        "medicines",
        "beta-lactam antibiotic\norganophosphate insecticide\nazo dye",
    ),
    (
        "six molecules at once",
        "morphine\ncholesterol\nquercetin\nmenthol\nDDT\nfluoxetine",
        "medicines",
        (
            "steroid\nflavonoid\ncooling terpenoid = minty smell | terpenoid in mint oil\n"
            "organochlorine insecticide\nopioid analgesic\nantidepressant"
        ),
    ),
)

MATCHES: tuple[tuple[str, str, str], ...] = (
    # What the button says, molecule, words.
    (
        "penicillin G: beta-lactam antibiotic",
        "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O",
        "beta-lactam antibiotic",
    ),
    (
        "ibuprofen: non-steroidal anti-inflammatory drug",
        "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
        "non-steroidal anti-inflammatory drug",
    ),
    ("quercetin: plant flavonol", "quercetin", "plant flavonol with antioxidant activity"),
    ("caffeine: steroid?", "caffeine", "steroid hormone"),
)

PLACES: tuple[str, ...] = (
    "steroid hormone",
    "beta-lactam antibiotic",
    "sweet-tasting sugar",
    "plant flavonol",
    "caffeine",
)

PICTURES: tuple[str, ...] = (
    "steroid",
    "antibacterial agent",
    "long-chain fatty acid",
    "fluorescent dye",
    "sugar",
)
