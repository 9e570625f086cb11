"""The Jupyter server's part of the JupyterLab extension: which captures there are, and their pages."""

from __future__ import annotations

from typing import Any


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": "neuron_nbprof.lab"}]


def _load_jupyter_server_extension(server_app: Any) -> None:
    from .handlers import add_handlers

    add_handlers(server_app.web_app)
