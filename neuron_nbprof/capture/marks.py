"""Marks in a trace: which line of the code was running."""

from __future__ import annotations

from types import TracebackType


class LineMark:
    """A host annotation around one top-level line of a cell, named ``cell line <n>``.

    About 1.5 µs while a profiler records; nothing is done while none does.
    """

    def __init__(self, line: int) -> None:
        self.name = f"cell line {line}"
        self._handle: object | None = None

    def __enter__(self) -> None:
        import torch

        if torch.autograd.profiler._is_profiler_enabled:
            self._handle = torch.autograd._record_function_with_args_enter(self.name)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._handle is not None:
            import torch

            torch.autograd._record_function_with_args_exit(self._handle)
            self._handle = None
