"""Start the demo: `python -m molclip.app`."""

from __future__ import annotations

import argparse
import sys

from molclip.errors import MolclipError


def main() -> int:
    """Read the command line and serve until interrupted."""
    parser = argparse.ArgumentParser(prog="python -m molclip.app", description="Web demo.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=7860)
    parser.add_argument("--share", action="store_true", help="public address through gradio.live")
    parser.add_argument("--auth", action="append", metavar="NAME:PASSWORD", help="who may see it")
    parser.add_argument("--root-path", default="", help="path under which a proxy serves the page")
    parser.add_argument("--model", help="model folder; the built-in model where left out")
    parser.add_argument("--library", help="library folder; the embedded library where left out")
    options = parser.parse_args()
    from .main import launch

    try:
        launch(
            host=options.host,
            port=options.port,
            share=options.share,
            auth=options.auth,
            root_path=options.root_path,
            model=options.model,
            library=options.library,
        )
    except MolclipError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
