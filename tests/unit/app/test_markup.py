"""Text stays text, and labels are read as typed."""

from __future__ import annotations

import html
from html.parser import HTMLParser

from molclip.app import cards, markup
from molclip.app.drawing import drawing

ATTACK = "\"'><img src=x onerror=alert(1)>${alert(2)}{{value}}`"


class Tags(HTMLParser):
    """Names of the elements, and of the attributes that run scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.scripts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.scripts += [name for name, _ in attrs if name.startswith("on")]


def test_text_cannot_leave_its_place() -> None:
    safe = markup.text(ATTACK)
    assert not set("<>\"'{}$`") & set(safe)
    assert html.unescape(safe) == ATTACK


def test_a_card_shows_an_attack_as_text() -> None:
    record = {
        "rank": 1, "id": ATTACK, "name": ATTACK, "smiles": "CCO", "score": 0.5,
        "match_level": "strong", "evidence": "recorded", "recorded_terms": [ATTACK],
        "seen": True, "inchikey": ATTACK, "formula": "C2H6O", "mol_weight": 46.07,
    }  # fmt: skip
    page = cards.card(record)
    tags = Tags(page)
    assert "img" not in tags.names
    assert "script" not in tags.names
    assert not tags.scripts
    assert "C<sub>2</sub>H<sub>6</sub>O" in page
    assert "${" not in page
    assert "{{" not in page


def test_the_name_describes_the_drawing() -> None:
    svg = drawing("CCO", ATTACK)
    assert Tags(svg).names[0] == "svg"
    assert "img" not in Tags(svg).names
    assert f"aria-label='Structure of {markup.text(ATTACK)}'" in svg


def test_formulas() -> None:
    assert markup.formula("C10H15N5O10P2") == (
        "C<sub>10</sub>H<sub>15</sub>N<sub>5</sub>O<sub>10</sub>P<sub>2</sub>"
    )
    # A charge is no count.
    assert markup.formula("Na+") == "Na+"
