"""Keep the curves of the run behind a model: ``history.json`` in the model's folder.

    python -m molclip.data.build_history RUN [--model FOLDER]

RUN is the output folder of `molclip train`. The page of the web demo about the model draws what
this file holds.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from molclip.models.molclip import MolCLIP
from molclip.training.shipped_history import run_records, write_shipped


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path, help="folder of the run, or its history file")
    parser.add_argument("--model", help="folder; the built-in model where left out")
    options = parser.parse_args()
    model = MolCLIP.from_pretrained(options.model)
    assert model.folder is not None
    target = write_shipped(options.run, model.folder, model.model_hash)
    last = run_records(target)[-1]
    print(f"{target}: {target.stat().st_size / 1e3:.1f} kB, up to epoch {last['epoch']:g}")


if __name__ == "__main__":
    main()
