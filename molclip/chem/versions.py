"""What the numbers of molecule inputs mean; apart, because it is asked for without RDKit."""

FEATURES = "1"
"""Changes whenever the meaning of a column of `chem.features` changes."""

GRAPHS = "1"
"""Changes whenever the meaning of a code of `chem.graphs` changes."""
