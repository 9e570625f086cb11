from __future__ import annotations

import click

from .captures import as_json, paths, print_json, read


@click.command("compare")
@paths
@click.option("--execution-us", type=float, help="What executing anything costs, where you know it.")
@as_json
def command(
    paths: tuple[str, ...],
    rank: int | None,
    session: str | None,
    execution_us: float | None,
    as_json: bool,
) -> None:
    """Captures side by side, the first being the baseline, and what the difference is made of."""
    from .. import compare, report

    if len(paths) < 2:
        raise click.UsageError("There is nothing to compare; name at least two captures.")
    found = compare(*(read(path, rank, session) for path in paths), execution_us=execution_us)
    if as_json:
        print_json(found.to_dict())
    else:
        click.echo(report.comparison(found))
