"""What the list tells of a capture beyond its name: read once, little by little, and remembered."""

from __future__ import annotations

import time
from collections import OrderedDict
from pathlib import Path
from threading import Lock

from .listing import Capture
from .root import OutsideError, Root

#: A list never waits longer than this for captures it has not read before; the next list goes on.
SECONDS = 0.5
#: Larger captures are read only when somebody opens them.
BYTES = 32 << 20
REMEMBERED = 5_000

Key = tuple[str, float, int]


class DeviceTimes:
    """Device time of captures in ns; None where it cannot be told."""

    def __init__(self) -> None:
        self._known: OrderedDict[Key, int | None] = OrderedDict()
        self._reading = Lock()

    def tell(self, captures: list[Capture], root: Root, seconds: float = SECONDS) -> None:
        """Fill in what is known, and read captures for at most ``seconds``, in the order of the list."""
        end = time.monotonic() + seconds
        for capture in captures:
            key = (capture.path, capture.created, capture.bytes)
            if key not in self._known and capture.bytes <= BYTES and time.monotonic() < end:
                with self._reading:
                    self._remember(key, _device_ns(root, capture.path))
            capture.device_ns = self._known.get(key)

    def _remember(self, key: Key, device_ns: int | None) -> None:
        self._known[key] = device_ns
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def _device_ns(root: Root, path: str) -> int | None:
    from .. import ReadError
    from .. import open as open_profile

    try:
        target: Path = root.resolve(path)
        return int(open_profile(target).summary()["device_ns"])
    except (OutsideError, ReadError, OSError):
        return None
