"""How much memory of the simulated device is in use: the storages of its tensors that are alive."""

from __future__ import annotations

import threading
import weakref
from collections import Counter, deque

import torch


class _Watch(weakref.ref):
    """Watches one storage of ``size`` bytes on ``core``."""

    __slots__ = ("core", "size")
    core: int
    size: int


_lock = threading.Lock()
#: By identity; a watch that nobody holds would see nothing.
_watches: dict[int, _Watch] = {}
#: Bytes by core, of all storages that are watched.
_watched: Counter[int] = Counter()
#: Watches whose storage has died. It may die anywhere, also while the lock is held, so that is only noted.
_ended: deque[_Watch] = deque()


def remember(tensor: torch.Tensor, core: int) -> None:
    """A tensor whose storage has just come to a core."""
    storage = tensor.untyped_storage()
    watch = _Watch(storage, _ended.append)
    watch.core, watch.size = core, storage.nbytes()
    with _lock:
        _watches[id(watch)] = watch
        _watched[core] += watch.size
        _settle()


def in_use(core: int) -> int:
    """Bytes of all storages of a core that are alive."""
    with _lock:
        _settle()
        return _watched[core]


def _settle() -> None:
    while _ended:
        watch = _ended.popleft()
        del _watches[id(watch)]
        _watched[watch.core] -= watch.size
