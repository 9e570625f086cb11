from __future__ import annotations

import getpass
import os
import shlex
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING

import click

from .captures import chosen, read

if TYPE_CHECKING:
    from ..profile import Profile


@click.command("view")
@click.argument("path", metavar="PATH")
@chosen
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), help="The page to write (default: a temporary file)."
)
@click.option("--no-browser", is_flag=True, help="Write the page and only say where it is.")
def command(path: str, rank: int | None, session: str | None, out: Path | None, no_browser: bool) -> None:
    """Write the explorer as one self-contained page and open it. No server is started."""
    show(read(path, rank, session), out, not no_browser)


def show(profile: Profile, out: Path | None, browse: bool) -> None:
    """Write the page and open it where there is a browser; always say where it is."""
    from .. import report
    from ..errors import printable

    name = profile.title.replace("/", "_").replace("\0", "") or "profile"
    page = profile.to_html(out or Path(tempfile.mkdtemp(prefix="neuron-nbprof-")) / f"{name}.html").resolve()
    click.echo(printable(report.headline(profile)))
    click.echo(f"explorer: {page}")
    if browse and is_remote():
        click.echo(f"This is a remote shell. On your own machine: {fetch(page)}")
    elif browse:
        webbrowser.open(page.as_uri())


def is_remote() -> bool:
    """Whether the shell came over SSH and no screen came with it."""
    screen = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return bool(os.environ.get("SSH_CONNECTION")) and not screen


def fetch(page: Path) -> str:
    """The command that brings the page to the machine at the other end of the SSH connection."""
    address = os.environ["SSH_CONNECTION"].split()
    host = address[2] if len(address) == 4 else "HOST"
    host = f"[{host}]" if ":" in host else host
    port = f"-P {address[3]} " if len(address) == 4 and address[3] != "22" else ""
    return f"scp {port}{shlex.quote(f'{getpass.getuser()}@{host}:{page}')} ."
