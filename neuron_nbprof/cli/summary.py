from __future__ import annotations

from typing import Any

import click

from .captures import as_json, paths, print_json, read

KINDS = ("all", "compute", "copy", "allocation", "synchronise", "host")
GROUPS = ("name", "name+shape", "stack", "module")


@click.command("summary")
@paths
@click.option("--where", type=click.Choice(KINDS), help="Only the table of operators, of this kind.")
@click.option("--group-by", type=click.Choice(GROUPS), help="Only the table of operators, grouped like this.")
@click.option(
    "--sort-by", metavar="COLUMN", help="Only the table of operators, by this column (neuron_us, …)."
)
@click.option("--top", type=click.IntRange(1), default=12, show_default=True, help="Operators in the table.")
@as_json
def command(
    paths: tuple[str, ...],
    rank: int | None,
    session: str | None,
    where: str | None,
    group_by: str | None,
    sort_by: str | None,
    top: int,
    as_json: bool,
) -> None:
    """Where the time goes: headline, chains, idle time, operators, insights."""
    from .. import report

    asked = {"where": where, "group_by": group_by, "sort_by": sort_by}
    options: dict[str, Any] = {name: value for name, value in asked.items() if value}
    answers = []
    for number, path in enumerate(paths):
        profile = read(path, rank, session)
        try:
            if as_json:
                answers.append(to_dict(profile, top, options))
                continue
            text = report.operators(profile, rows=top, **options) if options else str(profile)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        click.echo(f"{'' if not number else chr(10)}{text}")
    if as_json:
        print_json(answers)


def to_dict(profile: Any, top: int, options: dict[str, Any]) -> dict[str, Any]:
    """Everything that the text says, and more exactly."""
    from ..analysis.latency import holder
    from ..analysis.records import records

    return {
        "title": profile.title,
        "source": profile.trace.source,
        "simulated": profile.simulated,
        "device": profile.device,
        "summary": profile.summary(),
        "operators": records(profile.key_averages(**options, top=top)),
        "reconciled": profile.reconcile(),
        "latency": holder(profile.trace),
        "gaps": records(profile.gap_totals(), index=True),
        "critical_path": records(profile.critical_path("lane")),
        "insights": [insight.to_dict() for insight in profile.insights()],
        "notes": [{"text": note.text, "count": note.count} for note in profile.notes],
    }
