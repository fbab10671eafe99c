"""How far the remarks beside an answer can be trusted, measured on held-out molecules."""
