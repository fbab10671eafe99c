"""What every evaluation takes alike."""

import typer.main

from molclip.cli.main import app


def test_every_evaluation_writes_its_report_with_the_same_option():
    commands = typer.main.get_command(app).commands["evaluate"].commands
    assert {"queries", "retrieval", "probe", "zero-shot"} <= set(commands)
    found = {}
    for name, command in commands.items():
        (option,) = (each for each in command.params if "--out" in each.opts)
        found[name] = (*option.opts, option.help)
    assert len(set(found.values())) == 1, found
    assert "-o" in found["retrieval"]
