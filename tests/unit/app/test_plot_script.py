"""Plotly's script comes from the installed package, packed where the browser unpacks."""

from __future__ import annotations

import pytest
from molclip.app import plot_script

pytest.importorskip("plotly")


@pytest.fixture
def client():
    from starlette.applications import Starlette
    from starlette.testclient import TestClient

    return TestClient(Starlette(routes=plot_script.routes()))


def test_it_is_the_installed_one(client) -> None:
    from plotly.offline import get_plotlyjs

    plain = client.get(plot_script.address(), headers={"Accept-Encoding": "identity"})
    assert plain.status_code == 200
    assert plain.headers["content-type"].startswith("text/javascript")
    assert plain.text == get_plotlyjs()
    packed = client.get(plot_script.address(), headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
    assert packed.text == plain.text


def test_the_address_names_the_version() -> None:
    import plotly

    assert plot_script.address() == f"/plots/plotly.js?v={plotly.__version__}"


def test_without_plotly_it_is_not_found(client, monkeypatch) -> None:
    monkeypatch.setattr(plot_script, "_file", lambda: None)
    assert client.get(plot_script.PATH).status_code == 404
