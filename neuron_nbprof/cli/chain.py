from __future__ import annotations

from typing import Any

import click

from .captures import as_json, chosen, print_json, read


@click.command("chain")
@click.argument("path", metavar="PATH")
@click.argument("name", metavar="NAME")
@click.argument("number", metavar="[N]", type=click.IntRange(0), default=0)
@chosen
@as_json
def command(path: str, name: str, number: int, rank: int | None, session: str | None, as_json: bool) -> None:
    """Follow the N-th event called NAME (the first is 0) from its dispatch to the hardware."""
    from .. import report
    from ..trace import chain

    trace = read(path, rank, session).trace
    rows = trace.rows_named(name).tolist()
    if not rows:
        known = sorted({trace.name_of(row) for row in trace.operators().tolist()})
        shown = ", ".join(known[:8]) + (" …" if len(known) > 8 else "")
        raise click.UsageError(f"There is no event called {name!r}; operators are {shown}.")
    if number >= len(rows):
        raise click.UsageError(f"{name} was called {len(rows)} times; the last is {len(rows) - 1}.")
    found = chain(trace, rows[number])
    if as_json:
        print_json(_to_dict(trace, found))
    else:
        click.echo(report.chain(trace, found))


def _to_dict(trace: Any, found: Any) -> dict[str, Any]:
    return {
        "event": int(trace.id[found.event]),
        "events": trace.id[found.nodes].tolist(),
        "truncated": found.truncated,
        "submissions": [
            {
                "total_ns": line.total,
                "stations": [
                    {
                        "lane": station.lane.title,
                        "name": trace.name_of(station.rows[0]),
                        "events": trace.id[station.rows].tolist(),
                        "start_ns": station.start,
                        "dur_ns": station.dur,
                    }
                    for station in line.stations
                ],
                "waits": [
                    {"ns": wait.ns, "rule": wait.rule.text, "key": wait.key or None} for wait in line.waits
                ],
            }
            for line in found.lines
        ],
    }
