from __future__ import annotations

from pathlib import Path

import click

from .. import RMSNORMS
from .view import show


@click.command("demo")
@click.argument("name", required=False, default=RMSNORMS[0], type=click.Choice(RMSNORMS))
@click.option("--live", is_flag=True, help="Record the three RMSNorms now, on the simulated device.")
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="With --live the folder, else the page to write."
)
@click.option("--no-browser", is_flag=True, help="Write the page and only say where it is.")
def command(name: str, live: bool, out: Path | None, no_browser: bool) -> None:
    """The explorer over a packaged capture; needs neither torch nor Trainium."""
    if live:
        from .. import demo

        demo.run(out or Path("demo"))
        return
    from .. import example

    show(example(name), out, not no_browser)
