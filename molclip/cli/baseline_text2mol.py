"""`molclip baseline text2mol`: the published recipe on our own text."""

from __future__ import annotations

import sys

from molclip.cli.baseline import DataOption, EpochsOption, OutputOption
from molclip.cli.training_progress import is_first_process, training_progress

EXAMPLES = (
    "**Example**\n\n`molclip baseline text2mol --out runs/text2mol`\n\n"
    "`molclip evaluate retrieval --data chebi20/ --compare runs/text2mol/model`"
)


def text2mol(out: OutputOption, data: DataOption = None, epochs: EpochsOption = None) -> None:
    """Train Text2Mol's MLP recipe with our text encoder; prints the folder of the model.

    A run that was killed goes on from its last checkpoint when it is started again.
    """
    from molclip.baselines.text2mol import text2mol_config, train_text2mol

    config = text2mol_config(out, data, epochs)
    with training_progress(config) as report:
        folder = train_text2mol(config, report)
    if is_first_process():
        sys.stdout.write(f"{folder}\n")
