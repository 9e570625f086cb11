from __future__ import annotations

from typing import Any

import click

from .captures import as_json, paths, print_json, read

FAILED = 1
#: What each limit is held against, by the name of its option, and what one and several are called.
LIMITS = {
    "max_executions": ("executions", "execution", "executions"),
    "max_device_us": ("device_us", "µs on the device", "µs on the device"),
    "max_host_us": ("host_us", "µs on the host", "µs on the host"),
    "max_idle_share": ("idle_share", *["of the time between first and last execution idle"] * 2),
    "max_copies": ("copies", "copy", "copies"),
}


@click.command("check")
@paths
@click.option("--max-executions", type=click.IntRange(0), help="Executions that may reach the hardware.")
@click.option("--max-device-us", type=click.FloatRange(0), help="Time that anything may run on the device.")
@click.option("--max-host-us", type=click.FloatRange(0), help="Host time of the operators that executed.")
@click.option(
    "--max-idle-share", type=click.FloatRange(0, 1), help="Idle between first and last execution, 0 to 1."
)
@click.option("--max-copies", type=click.IntRange(0), help="Copies between host and device.")
@click.option("--fail-on", type=click.Choice(["error", "warning"]), help="Fail on insights as grave as this.")
@as_json
def command(
    paths: tuple[str, ...],
    rank: int | None,
    session: str | None,
    fail_on: str | None,
    as_json: bool,
    **limits: float | None,
) -> None:
    """Hold captures against limits; exits with 1 when one is exceeded. For builds.

    A capture without any execution fails: it would keep every limit.
    """
    from ..errors import printable

    given = {name: limit for name, limit in limits.items() if limit is not None}
    if not given and not fail_on:
        raise click.UsageError("There is nothing to check; give a limit, such as --max-executions 1.")
    results = [_check(read(path, rank, session), given, fail_on) for path in paths]
    if as_json:
        print_json(results)
    for result in results if not as_json else ():
        for line in result["checks"]:
            click.echo(printable(f"{'ok  ' if line['ok'] else 'FAIL'} {result['title']}: {line['text']}"))
    if not all(line["ok"] for result in results for line in result["checks"]):
        raise click.exceptions.Exit(FAILED)


def _check(profile: Any, limits: dict[str, float], fail_on: str | None) -> dict[str, Any]:
    from ..analysis.submissions import submissions

    numbers = profile.summary()
    busy = numbers["busy_share"]
    values = {
        "executions": numbers["executions"],
        "device_us": numbers["device_ns"] / 1000,
        "host_us": numbers["host_ns"] / 1000,
        "idle_share": 1 - busy if busy is not None else 0.0,
        "copies": int(submissions(profile.trace).is_copy.sum()),
    }
    checks: list[dict[str, Any]] = []
    if not numbers["executions"]:
        checks.append({"check": "recorded", "ok": False, "text": "nothing reached the hardware"})
    for name, limit in limits.items():
        key, one, several = LIMITS[name]
        value = values[key]
        words = one if value == 1 else several
        checks.append(
            {
                "check": name,
                "value": value,
                "limit": limit,
                "ok": value <= limit,
                "text": f"{value:,.6g} {words}, at most {limit:,.6g} allowed",
            }
        )
    grave = {"error": ("error",), "warning": ("error", "warning")}.get(fail_on or "", ())
    checks += [
        {"check": insight.id, "ok": False, "text": insight.sentence}
        for insight in profile.insights()
        if insight.severity in grave
    ]
    if fail_on and not any(line["check"] not in limits for line in checks):
        checks.append({"check": "insights", "ok": True, "text": f"no insight as grave as {fail_on}"})
    simulated = "SIMULATED " if profile.simulated else ""
    return {"title": f"{simulated}{profile.title}", "simulated": profile.simulated, "checks": checks}
