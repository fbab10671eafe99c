"""A small page of Gradio's that answers on loopback, behind middleware of the app."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import gradio as gr
import httpx
import pytest

Launch = Callable[[gr.Blocks, list[Any]], httpx.Client]


@pytest.fixture(scope="module")
def launch() -> Iterator[Launch]:
    with ExitStack() as opened:

        def launched(page: gr.Blocks, middleware: list[Any]) -> httpx.Client:
            _, address, _ = page.launch(
                prevent_thread_lock=True,
                quiet=True,
                ssr_mode=False,
                app_kwargs={"middleware": middleware},
            )
            opened.callback(page.close)
            return opened.enter_context(httpx.Client(base_url=address, timeout=60))

        yield launched
