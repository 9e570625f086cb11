"""What a rule is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from .view import View

#: *error*: the numbers mislead until it is put right; *warning*: it costs time; *info*: good to know.
Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
#: An insight points at no more events than somebody may want to click.
MOST_EVIDENCE = 200


@dataclass(frozen=True)
class Insight:
    """One thing seen in a profile: ``sentence`` says what, ``evidence`` are ids of events that show it,
    ``remedy`` says what to do; ``saving_us`` is the most that this may save, where the rule can bound it."""

    id: str
    severity: Severity
    sentence: str
    evidence: list[int]
    remedy: str
    saving_us: float | None = None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Finding:
    """What a rule says about one profile; ``rows`` of the trace are the evidence."""

    sentence: str
    rows: Iterable[int] = field(default=())
    remedy: str = ""
    saving_us: float | None = None


@dataclass(frozen=True)
class Rule:
    """``title`` is what it looks for, ``remedy`` what to do where a finding does not say it more exactly."""

    id: str
    severity: Severity
    title: str
    remedy: str
    find: Callable[[View], Iterator[Finding]]

    def insights(self, view: View) -> list[Insight]:
        found = []
        for finding in self.find(view):
            rows = np.array(list(finding.rows), np.int64)[:MOST_EVIDENCE]
            evidence = view.trace.id[rows].tolist()
            remedy = finding.remedy or self.remedy
            found.append(
                Insight(self.id, self.severity, finding.sentence, evidence, remedy, finding.saving_us)
            )
        return found
