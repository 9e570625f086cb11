"""How much memory of the simulated device is in use: the storages of its tensors that are alive."""

from __future__ import annotations

import threading

import torch
from torch.multiprocessing.reductions import StorageWeakRef

#: Storages that have died are forgotten when as many are known again as were alive the last time.
_FEWEST = 1024

_lock = threading.Lock()
#: By address: the storage, its bytes, its core.
_storages: dict[int, tuple[StorageWeakRef, int, int]] = {}
_forget_at = _FEWEST


def remember(tensor: torch.Tensor, core: int) -> None:
    """A tensor whose storage has just come to a core."""
    storage = tensor.untyped_storage()
    reference = StorageWeakRef(storage)
    with _lock:
        _storages[reference.cdata] = (reference, storage.nbytes(), core)
        full = len(_storages) >= _forget_at
    if full:
        in_use(core)


def in_use(core: int) -> int:
    """Bytes of all storages of a core that are alive."""
    global _forget_at
    with _lock:
        dead = [key for key, (reference, _, _) in _storages.items() if reference.expired()]
        for key in dead:
            del _storages[key]
        _forget_at = max(_FEWEST, 2 * len(_storages))
        return sum(nbytes for _, nbytes, place in _storages.values() if place == core)
