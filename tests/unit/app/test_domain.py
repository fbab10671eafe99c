"""What the page shows of the applicability domain."""

from dataclasses import replace

from molclip.app.domain import badge, nearest, remark, rows

from molclip.chem.molecule import ParseFailure
from molclip.search.applicability import MoleculeApplicability, Nearest

FAR = MoleculeApplicability(
    smiles="C[Pt]",
    status="outside",
    reasons=("of 4,000 training molecules only 1 holds <Pt>",),
    seen=False,
    similarity=0.123,
    similarity_percentile=0.4,
    cosine=0.81,
    cosine_percentile=2.0,
    nearest=Nearest("A1", "<b>methanol</b>", "CO"),
    heavy_atoms=2,
    rare_elements=("Pt",),
)
NEAR = replace(FAR, status="inside", reasons=(), similarity=1.0, seen=True)
UNKNOWN = replace(FAR, status="not known", reasons=(), similarity=None, nearest=None)


def test_the_status_is_a_badge_with_its_reason():
    assert "outside the domain" in badge(FAR)
    assert "only 1 holds &lt;Pt&gt;" in badge(FAR)
    assert "inside the domain" in badge(NEAR)
    assert badge(UNKNOWN) == ""


def test_only_what_is_unlike_is_remarked():
    assert remark(FAR).startswith('<p class="mc-remark">Outside what the model was trained on: ')
    assert "<Pt>" not in remark(FAR)
    assert remark(NEAR) == remark(UNKNOWN) == ""


def test_the_nearest_training_molecule_is_named_and_escaped():
    assert "&lt;b&gt;methanol&lt;/b&gt;, similarity 0.12 (higher than 0 % of" in nearest(FAR)
    assert "cosine of the nearest 0.81 (higher than 2 %" in nearest(FAR)
    assert "trained on this very molecule" in nearest(NEAR)
    assert nearest(UNKNOWN) == ""


def test_rows_for_tables_keep_bad_rows():
    bad = ParseFailure(None, 2, None, "x", "does not parse")
    assert rows([FAR, bad, NEAR]) == [
        {"domain": "outside", "training similarity": 0.123, "domain remark": FAR.remark},
        {"domain": None, "training similarity": None, "domain remark": None},
        {"domain": "inside", "training similarity": 1.0, "domain remark": None},
    ]
