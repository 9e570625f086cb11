from __future__ import annotations

import dataclasses

import click

from .captures import as_json, print_json


@click.command("doctor")
@click.option("--device-mode", is_flag=True, help="Also whether there is HBM enough for device profiles.")
@as_json
def command(device_mode: bool, as_json: bool) -> None:
    """What is here for profiling, what is not, and what to do."""
    from .. import doctor

    findings = doctor.examine(device_mode=device_mode)
    if as_json:
        print_json([dataclasses.asdict(finding) for finding in findings])
    else:
        click.echo(doctor.text(findings))
