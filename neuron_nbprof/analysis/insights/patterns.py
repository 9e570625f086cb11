"""Decompositions that one operator replaces, as they stand in the order of dispatch."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True)
class Pattern:
    """``steps`` is a regular expression over base names, each followed by a blank."""

    name: str
    steps: re.Pattern[str]
    replacement: str


def _words(*parts: str) -> str:
    """``a|b`` is one of two operators, a trailing ``?`` may be missing; parts follow one another."""
    found = []
    for part in parts:
        optional = part.endswith("?")
        choice = "|".join(f"{word} " for word in part.removesuffix("?").split("|"))
        found.append(f"(?:{choice}){'?' if optional else ''}")
    return r"(?<![^ ])" + "".join(found)


def _of(name: str, replacement: str, *parts: str) -> Pattern:
    return Pattern(name, re.compile(_words(*parts)), replacement)


#: In this order: what contains another comes first.
PATTERNS = (
    _of("attention", "torch.nn.functional.scaled_dot_product_attention",
        "matmul|bmm|mm", "mul|div?", "add|masked_fill|where?", "_softmax|softmax", "matmul|bmm|mm"),
    _of("attention", "torch.nn.functional.scaled_dot_product_attention",
        "matmul|bmm|mm", "mul|div?", "add|masked_fill|where?", "amax|max", "sub", "exp", "sum", "div",
        "matmul|bmm|mm"),
    _of("LayerNorm", "torch.nn.functional.layer_norm",
        "mean", "sub", "pow|mul|square", "mean", "add", "sqrt|rsqrt", "div|mul", "mul?", "add?"),
    _of("LayerNorm", "torch.nn.functional.layer_norm",
        "mean", "var", "sub", "add", "sqrt|rsqrt", "div|mul", "mul?", "add?"),
    _of("RMSNorm", "torch.rms_norm",
        "mul|pow|square", "mean", "add", "rsqrt", "mul", "_to_copy|copy?", "mul?"),
    _of("RMSNorm", "torch.rms_norm",
        "mul|pow|square", "mean", "add", "sqrt", "div", "mul?"),
    _of("softmax", "torch.softmax",
        "amax|max", "sub", "exp", "sum", "div"),
    _of("GELU", "torch.nn.functional.gelu",
        "mul|div", "erf", "add", "mul", "mul?"),
    _of("GELU (tanh)", "torch.nn.functional.gelu(..., approximate=\"tanh\")",
        "pow|mul", "mul", "add", "mul", "tanh", "add", "mul", "mul?"),
    _of("SiLU gate", "torch.compile of the gate",
        "sigmoid", "mul", "mul?"),
    _of("SiLU gate", "torch.compile of the gate",
        "silu", "mul"),
)  # fmt: skip


def occurrences(names: list[str], last_of_step: list[bool]) -> Iterator[tuple[Pattern, list[int]]]:
    """Each pattern and the places that it covers in calls of these names; no call belongs to two, and no
    pattern reaches over the end of a step."""
    base_of = {name: name.rpartition("::")[2].rstrip("_") for name in set(names)}
    bases = map(base_of.__getitem__, names)
    # a step ends with a name that no operator has
    words = [f"{base} {'| ' if last else ''}" for base, last in zip(bases, last_of_step, strict=True)]
    begins = list(accumulate(map(len, words), initial=0))
    text = "".join(words)
    taken = [False] * len(names)
    for pattern in PATTERNS:
        for match in pattern.steps.finditer(text):
            places = range(bisect_left(begins, match.start()), bisect_left(begins, match.end()))
            if not any(taken[place] for place in places):
                for place in places:
                    taken[place] = True
                yield pattern, list(places)
