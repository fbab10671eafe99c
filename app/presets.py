"""Examples to click and sets of labels."""

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

LABELS: dict[str, str] = {
    "Medicines": "opioid analgesic\nanti-inflammatory drug\nantibiotic\nantifungal drug\n"
    "antiviral drug\nantineoplastic drug\nantihypertensive drug\nanticonvulsant\n"
    "antidepressant\nantihistamine\nlocal anaesthetic",
    "Natural product classes": "alkaloid\nflavonoid\nterpenoid\nsteroid\npolyketide\npeptide\n"
    "carbohydrate\nfatty acid\nphenylpropanoid\nnucleoside",
    "Uses": "insecticide\nherbicide\nfungicide\nsweetener\nflavouring agent\nfragrance\ndye\n"
    "solvent\nfood preservative\nsurfactant",
    "Effects in the body": "neurotransmitter\nhormone\nvitamin\nenzyme inhibitor\n"
    "receptor agonist\nreceptor antagonist\ntoxin\ncarcinogenic agent\nstimulant\nsedative",
}

CLASSIFICATIONS: tuple[tuple[str, str, str], ...] = (
    # What the button says, molecule, name of a set of labels or the labels themselves.
    ("ibuprofen: which medicine?", "CC(C)Cc1ccc(cc1)C(C)C(=O)O", "Medicines"),
    ("caffeine: which class?", "CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "Natural product classes"),
    ("DDT: which use?", "C1=CC(=CC=C1C(C2=CC=C(C=C2)Cl)C(Cl)(Cl)Cl)Cl", "Uses"),
    (
        "cholesterol: none of these?",
        "C[C@H](CCCC(C)C)[C@H]1CC[C@@H]2[C@@]1(CC[C@H]3[C@H]2CC=C4[C@@]3(CC[C@@H](C4)O)C)C",
        "beta-lactam antibiotic\norganophosphate insecticide\nazo dye",
    ),
)
