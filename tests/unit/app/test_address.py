"""An address that cannot be served at is refused before anything is loaded."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
from molclip.app import main
from molclip.app.address import check_address

from molclip.errors import InputError


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that another program listens at."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        yield other.getsockname()[1]


def test_a_port_in_use_is_named_with_the_option(
    taken: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(main.Service, "open", lambda *_: pytest.fail("loaded in vain"))
    with pytest.raises(InputError, match=f"Port {taken} of 127.0.0.1 is in use") as caught:
        main.launch(port=taken)
    assert "--port" in caught.value.hint
    assert "GRADIO" not in str(caught.value)


def test_a_free_port_and_any_port_are_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        free = other.getsockname()[1]
    check_address("127.0.0.1", free)
    check_address("127.0.0.1", None)


@pytest.mark.parametrize(
    ("host", "port", "said"),
    [("192.0.2.1", 8000, "at 192.0.2.1"), ("127.0.0.1", 70000, "no port 70000")],
)
def test_an_address_of_elsewhere_and_an_impossible_port(host: str, port: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_address(host, port)


def test_what_gradio_says_is_not_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    class Page:
        def queue(self, **_: object) -> None: ...

        def launch(self, **_: object) -> None:
            raise OSError("set the GRADIO_SERVER_PORT environment variable")

    class Service:
        def warm(self) -> None: ...

    monkeypatch.setattr(main.Service, "open", lambda *_: Service())
    monkeypatch.setattr(main, "_laid_out", lambda _: Page())
    with pytest.raises(InputError) as caught:
        main.launch(port=None)
    assert "GRADIO" not in str(caught.value)
    assert "--port" in str(caught.value)
