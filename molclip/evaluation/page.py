"""A report as one HTML page: protocol, plots, tables. It needs no network to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from molclip.evaluation.plots import Plot
    from molclip.evaluation.report import Table

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; color: #1c2430; background: #fff;
       max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; }
dt { color: #5f6b7a; } dd { margin: 0; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .25rem .8rem; border-bottom: 1px solid #dde3ea; vertical-align: top;
         text-align: right; white-space: pre-line; }
th { border-bottom-color: #5f6b7a; }
.text { text-align: left; }
p.note { color: #5f6b7a; margin: .2rem 0; }
"""
_MISSING = "The plots are left out, because plotly is not installed: pip install plotly."


def html_page(
    title: str,
    header: Mapping[str, str],
    plots: Sequence[Plot],
    tables: Sequence[Table],
    notes: Sequence[str],
    appendix: Sequence[Table] = (),
) -> str:
    """Return the page; plotly's script stands in it once, if there is a plot to draw.

    Parameters
    ----------
    title
        Of the report.
    header
        The protocol, as it is shown.
    plots
        Drawn in their order; without plotly a sentence stands in their place.
    tables, notes
        As in the report.
    appendix
        Tables to look things up in, after the plots.
    """
    facts = "".join(
        f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>" for key, value in header.items()
    )
    parts = [f"<h1>{escape(title)}</h1>", f"<dl>{facts}</dl>"]
    parts += [_table(table) for table in tables]
    parts += _drawn(plots)
    parts += [_table(table) for table in appendix]
    parts += [f"<p class='note'>{escape(note)}</p>" for note in notes]
    body = "\n".join(parts)
    return (
        "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width'>\n"
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _drawn(plots: Sequence[Plot]) -> list[str]:
    if not plots:
        return []
    try:
        import plotly.io
    except ImportError:
        return [f"<p class='note'>{escape(_MISSING)}</p>"]
    parts = []
    for number, plot in enumerate(plots):
        usual = {
            "template": _template(),
            "height": plot.height,
            "margin": {"l": 60, "r": 20, "t": 20, "b": 50},
            "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom"},
        }
        # A dictionary: plotly's own figures copy and check themselves for a second or more, and a
        # training run writes a page after every epoch. A fixed name, so that the same figures give
        # the same page.
        drawn = plotly.io.to_html(
            {"data": list(plot.data), "layout": {**plot.layout, **usual}},
            full_html=False,
            include_plotlyjs=number == 0,
            div_id=f"plot-{number + 1}",
            validate=False,
        )
        parts += [f"<h2>{escape(plot.title)}</h2>", drawn]
    return parts


@cache
def _template() -> dict[str, Any]:
    import plotly.io

    made: dict[str, Any] = plotly.io.templates["plotly_white"].to_plotly_json()
    return made


def _table(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return (
            "<tr>"
            + "".join(
                f"<{tag} class='text'>{escape(cell)}</{tag}>"
                if index in table.left
                else f"<{tag}>{escape(cell)}</{tag}>"
                for index, cell in enumerate(cells)
            )
            + "</tr>"
        )

    lines = "\n".join(row(cells, "td") for cells in table.rows)
    return (
        f"<h2>{escape(table.title)}</h2>\n<div class='wide'><table>\n"
        f"<thead>{row(table.columns, 'th')}</thead>\n<tbody>\n{lines}\n</tbody></table></div>"
    )
