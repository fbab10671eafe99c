"""Warnings of answered rows are counted beside the failures."""

from molclip.chem.failures import FailureLog
from molclip.chem.parse import parse_molecule


def test_warnings_are_said_in_the_summary():
    log = FailureLog()
    rows = [parse_molecule(text, row=n) for n, text in enumerate(("N[Pt](N)(Cl)Cl", "CCO", "x"), 1)]
    assert len(list(log.watch(rows))) == 3
    assert log.remarks.total() >= 1
    assert log.summary().startswith("3 rows: 2 answered, 1 failed (")
    assert "Of note: 1 × " in log.summary()


def test_rows_without_warnings_say_nothing():
    log = FailureLog()
    list(log.watch([parse_molecule("CCO")]))
    assert log.summary() == "1 row: all answered."
