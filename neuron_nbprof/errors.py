"""The errors a user may meet. Each message is one sentence: what was found, and what to do."""

from __future__ import annotations


def printable(text: str) -> str:
    """Text from a file, its control characters written out, so that it cannot steer a terminal."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


class NeuronProfilerError(Exception):
    """Base of every error that neuron_nbprof raises on purpose."""

    def __str__(self) -> str:
        """One line, whatever the names in it hold: many of them come from files."""
        return printable(super().__str__())

    def _render_traceback_(self) -> list[str]:
        """IPython asks for this: the sentence says it all, our stack would only bury it."""
        return [f"{type(self).__name__}: {self}"]


class ReadError(NeuronProfilerError):
    """A path, folder or file that cannot be opened as a capture."""


class CaptureError(NeuronProfilerError):
    """A profile that cannot be taken, or was taken only in part."""


class SimulatorError(NeuronProfilerError):
    """Something that the simulated Neuron device refuses to do."""
