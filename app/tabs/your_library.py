"""Your library: a visitor's own file, embedded here and searched like the built-in library."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gradio as gr
from gradio.context import Context

from molclip.errors import InputError

from .. import markup, own_form, own_results
from ..downloads import write_download, write_text
from ..embedding import Embedding, Running
from ..filters import changed
from ..filters import said as filters_said
from ..held_files import UPLOADS, present
from ..links import Link
from ..own_libraries import OwnLibraries, OwnLibrary
from ..own_search import search as search_own
from ..question import Question
from ..service import Service
from .guard import said

TITLE = "Your library"

_EMPTY = markup.message(
    "empty",
    "Your own molecules, searched with words.",
    "Drop a file: its rows are embedded, bad ones are listed with a reason, and the rest can be "
    "searched like the built-in library. Results keep your columns.",
)
# The secret lies in the storage of this browser tab, which survives a reload.
_WITH_KEY = """(secret, ...rest) => {
  try { secret = sessionStorage.getItem('molclip-library') || secret; } catch {}
  return [secret ?? '', ...rest];
}"""
_REMEMBER = """(secret) => {
  try {
    if (secret) sessionStorage.setItem('molclip-library', secret);
    else sessionStorage.removeItem('molclip-library');
  } catch {}
  return [];
}"""
_SAVE = "() => { document.querySelector('button#own-file, #own-file button')?.click(); }"


def build(service: Service) -> Link:
    """Lay out the tab."""
    libraries, running = OwnLibraries(), Running()
    drop = own_form.drop()
    with gr.Row(elem_classes="mc-start"):
        status = gr.HTML(_EMPTY, elem_id="own-status")
        cancel = gr.Button("Cancel", visible=False, scale=0, min_width=110, elem_id="own-cancel")
    with gr.Row(elem_classes="mc-downloads"):
        bad = gr.DownloadButton(
            "Download bad rows", visible=False, size="sm", scale=0, min_width=150, elem_id="own-bad"
        )
        remove = gr.Button(
            "Remove", visible=False, size="sm", scale=0, min_width=110, elem_id="own-remove"
        )
    with gr.Column(visible=False, elem_id="own-search") as area:
        fields = own_form.form()
        summary = gr.HTML(elem_id="own-summary")
        found = gr.HTML(
            own_results.SEARCH_EMPTY, elem_id="own-results", js_on_load=own_form.results_script()
        )
        note = gr.HTML(elem_id="own-note")
        file = gr.DownloadButton("Download", visible="hidden", elem_id="own-file")
    secret = gr.Textbox("", visible=False, label="Library")

    opened = [
        status, cancel, bad, remove, area, fields.panel, secret, drop.file,
        fields.bounds, fields.sort, fields.page, summary, found,
    ]  # fmt: skip
    nothing_asked = ("", "", 1, "", own_results.SEARCH_EMPTY)

    def shown(own: OwnLibrary, key: str, *, fresh: bool = True) -> tuple[Any, ...]:
        """The page with a library; a fresh one has no question yet."""
        failures = bool(own.failures)
        path = write_download(own.failures, "molclip-bad-rows.csv") if failures else None
        if path is not None:
            libraries.attach(own, path)
        return (
            own_results.about(own),
            gr.Button(visible=False),
            gr.DownloadButton(value=path, visible=failures),
            gr.Button(visible=True),
            gr.Column(visible=True),
            own_form.panel_of(own.histograms),
            key,
            None,
            *(nothing_asked if fresh else (gr.skip(),) * 5),
        )

    def closed(message: str) -> tuple[Any, ...]:
        """The page without one."""
        return (
            message,
            gr.Button(visible=False),
            gr.DownloadButton(visible=False),
            gr.Button(visible=False),
            gr.Column(visible=False),
            gr.skip(),
            "",
            gr.skip(),
            *nothing_asked,
        )

    def same(message: str, *, idle: bool) -> tuple[Any, ...]:
        """The page as it is, with another message."""
        return (message, gr.Button(visible=not idle), *((gr.skip(),) * 11))

    def waiting(request: gr.Request, path: str | None = None) -> tuple[Any, ...]:
        running.begin(request.session_hash or "")
        UPLOADS.hold(_holder(request), path)
        return same(markup.message("busy", "Waiting for a turn …"), idle=False)

    def embed(
        request: gr.Request, old: str, path: str | None, structure: str, standardise: str
    ) -> Iterator[tuple[Any, ...]]:
        session = request.session_hash or ""
        try:
            if not path:
                raise InputError("There is no file yet.", "Drop one, or choose it.")
            job = Embedding(
                present(path),
                service,
                libraries,
                session,
                cancelled=running.flag(session),
                structure=(structure or "").strip() or None,
                standardise=standardise,
            )
            for done, whole in job.run():
                yield same(own_results.working(job.name, done, whole), idle=False)
            own = libraries.get(job.secret, session) if job.secret else None
            if own is None or job.secret is None:
                yield same(markup.message("busy", "Cancelled; nothing was kept."), idle=True)
                return
            libraries.remove(old or "")
            # Nothing needs the file any more. One that failed stays, to be tried with other options.
            UPLOADS.release(_holder(request))
            yield shown(own, job.secret)
        except Exception as problem:
            yield same(said(problem), idle=True)

    def embed_example(
        request: gr.Request, old: str, structure: str, standardise: str
    ) -> Iterator[tuple[Any, ...]]:
        path = write_text(own_form.EXAMPLE, "example.csv")
        UPLOADS.hold(_holder(request), path)
        yield from embed(request, old, path, structure, standardise)

    def reopen(event: gr.EventData, request: gr.Request) -> tuple[Any, ...]:
        key = str(event._data.get("secret", ""))
        own = libraries.get(key, request.session_hash or "")
        if own is None:
            return closed(said(_gone()))
        # What a link asks for may stand below already.
        return shown(own, key, fresh=False)

    def cancelled(request: gr.Request) -> tuple[Any, ...]:
        running.cancel(request.session_hash or "")
        return same(markup.message("busy", "Cancelling …"), idle=True)

    def removed(request: gr.Request, key: str) -> tuple[Any, ...]:
        libraries.remove(key or "")
        UPLOADS.release(_holder(request))
        return closed(markup.message("busy", "Your library and its file are deleted."))

    def let_go(request: gr.Request) -> None:
        """The visitor took the file out of its field."""
        UPLOADS.release(_holder(request))

    def ask(request: gr.Request, key: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        yield markup.message("busy", "Searching …"), gr.skip(), ""
        try:
            own = _held(libraries, key, request)
            wanted = own_form.question(own.histograms, values)
            answer = search_own(own, service, wanted)
            kept = filters_said(wanted.bounds, own.histograms)
            yield (
                own_results.summary(answer, own, len(service.background), kept),
                own_results.results(answer, wanted, own),
                "",
            )
        except Exception as problem:
            yield "", said(problem), ""

    def turn(event: gr.EventData) -> list[Any]:
        """The fields that a control among the hits sets; a new order or number starts over."""
        act, value = str(event._data.get("act")), str(event._data.get("value"))
        if act == "sort" and len(value) <= own_form.LONGEST_COLUMN:
            return [value, gr.skip(), 1]
        if act == "count" and value in map(str, own_form.COUNTS):
            return [gr.skip(), int(value), 1]
        if act == "page" and value.isdecimal() and len(value) <= 3:
            return [gr.skip(), gr.skip(), int(value)]
        return [gr.skip()] * 3

    def take(
        event: gr.EventData, request: gr.Request, key: str, *values: Any
    ) -> Iterator[tuple[Any, ...]]:
        kind = "sdf" if event._data.get("format") == "sdf" else "csv"
        name = f"molclip-your-library.{kind}"
        yield markup.message("busy", f"Writing {name} …"), gr.skip()
        try:
            own = _held(libraries, key, request)
            wanted = own_form.question(own.histograms, values)
            if event._data.get("scope") == "all":
                wanted = _all(own, wanted)
            hits = search_own(own, service, wanted).result.records
            path = write_download(hits, name)
            if not libraries.attach(own, path):
                raise _gone()
            counted = f"{len(hits):,} {'molecule' if len(hits) == 1 else 'molecules'}"
            yield (
                markup.message("busy", f"{name}: {counted}, with your columns."),
                gr.DownloadButton(value=path),
            )
        except Exception as problem:
            yield said(problem), gr.skip()

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    queued = {"concurrency_limit": 2, "concurrency_id": "own-library"}

    def embedding(event: Any, work: Any, inputs: list[Any]) -> None:
        """Embed after this event."""
        dropped = drop.file if drop.file in inputs else None
        begun = event(waiting, dropped, opened, queue=False, **quiet)
        done = begun.then(work, inputs, opened, js=_WITH_KEY, **queued, **quiet)
        done.then(None, secret, None, js=_REMEMBER, **quiet)

    options = [drop.structure, drop.standardise]
    embedding(drop.file.upload, embed, [secret, drop.file, *options])
    embedding(drop.start.click, embed, [secret, drop.file, *options])
    embedding(drop.example.click, embed_example, [secret, *options])
    drop.file.clear(let_go, None, None, queue=False, **quiet)
    cancel.click(cancelled, None, opened, queue=False, **quiet)
    for event, work, inputs in (
        (drop.gate.open, reopen, None),
        (remove.click, removed, [secret]),
    ):
        done = event(work, inputs, opened, js=_WITH_KEY if inputs else None, queue=False, **quiet)
        done.then(None, secret, None, js=_REMEMBER, **quiet)

    link = Link("your-library", {"q": fields.words, "smiles": fields.structure})
    inputs, outputs = [secret, *fields.inputs], [summary, found, note]

    def answering(event: Any) -> None:
        """Search after this event."""
        done = event(
            ask,
            inputs,
            outputs,
            js=_WITH_KEY,
            concurrency_limit=4,
            concurrency_id="search",
            trigger_mode="always_last",
            **quiet,
        )
        link.remember(done.then)

    def afresh(event: Any) -> None:
        """A new question starts at its first page."""
        answering(event(None, None, fields.page, js="() => 1", **quiet).then)

    answering(link.opened)
    for event in (
        fields.words.submit, fields.structure.submit, fields.smarts.submit, fields.start.click,
        fields.share.release,
    ):  # fmt: skip
        afresh(event)
    moved = fields.panel.changed(None, None, fields.bounds, js=changed(own_form.NAME), **quiet)
    afresh(moved.then)

    def like(event: gr.EventData) -> tuple[str, str, int]:
        return "", str(event._data["smiles"]), 1

    answering(found.more(like, None, [fields.words, fields.structure, fields.page], **quiet).then)
    answering(found.turn(turn, None, fields.turned, **quiet).then)
    written = found.take(
        take, inputs, [note, file], concurrency_limit=2, concurrency_id="files", **quiet
    )
    written.success(None, None, None, js=_SAVE, **quiet)

    def left(request: gr.Request) -> None:
        """The browser tab was closed or reloaded."""
        UPLOADS.release(_holder(request))
        running.forget(request.session_hash or "")
        libraries.close(request.session_hash or "")

    assert Context.root_block is not None
    Context.root_block.unload(left)
    return link


def _holder(request: gr.Request) -> str:
    """Who holds the upload of this tab."""
    return f"your-library {request.session_hash or ''}"


def _held(libraries: OwnLibraries, key: str, request: gr.Request) -> OwnLibrary:
    own = libraries.get(key or "", request.session_hash or "")
    if own is None:
        raise _gone()
    return own


def _gone() -> InputError:
    return InputError(
        "Your library is no longer here.",
        "It is deleted when its browser tab is closed, or after an hour without use. Drop the "
        "file again.",
    )


def _all(own: OwnLibrary, asked: Question) -> Question:
    """The same question for every molecule; only then the best match decides the order."""
    return replace(asked, page=1, sort="", count=len(own.service.library))
