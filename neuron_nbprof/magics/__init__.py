"""The magics: ``%%neuronprof`` and its family."""

from __future__ import annotations

from typing import Any

from .shell import NeuronMagics


def load_ipython_extension(shell: Any) -> None:
    shell.register_magics(NeuronMagics(shell))


__all__ = ["NeuronMagics", "load_ipython_extension"]
