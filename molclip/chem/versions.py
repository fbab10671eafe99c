"""What molecule inputs mean; apart, because it is asked for without RDKit."""

FEATURES = "1"
"""Changes whenever the meaning of a column of `chem.features` changes."""

GRAPHS = "1"
"""Changes whenever the meaning of a code of `chem.graphs` changes."""

DRAWINGS = "1"
"""Changes whenever `chem.depict.depict_png` draws the same molecule, size and seed in another way."""
