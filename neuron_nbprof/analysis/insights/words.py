"""Numbers in the sentences of the rules."""

from __future__ import annotations


def time(ns: float) -> str:
    """A duration: µs, or ms from ten of them on."""
    return f"{ns / 1000:,.0f} µs" if ns < 10_000_000 else f"{ns / 1_000_000:,.1f} ms"


def count(number: int, noun: str, plural: str = "") -> str:
    """``1 execution``, ``6 executions``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
