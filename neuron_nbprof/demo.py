"""The main job without a person watching: three RMSNorms under the magic, on the simulated device."""

from __future__ import annotations

import os
from pathlib import Path

from .errors import CaptureError

SETUP = """
import torch
torch.set_num_threads(1)

def rms_norm(x, weight, eps=1e-6):
    x_sq = x * x
    mean_sq = x_sq.mean(-1, keepdim=True)
    rms = torch.rsqrt(mean_sq + eps)
    return x * rms * weight

compiled_rms_norm = torch.compile(rms_norm, backend="neuron")
x = torch.randn(4096, 4096, device="neuron", dtype=torch.bfloat16)
weight = torch.ones(4096, device="neuron", dtype=torch.bfloat16)
"""

CELLS = {
    # written out, so that the explorer shows what each of its lines costs
    "naive": """x_sq = x * x
mean_sq = x_sq.mean(-1, keepdim=True)
rms = torch.rsqrt(mean_sq + 1e-6)
y = x * rms * weight""",
    "fused": "y = torch.rms_norm(x, (4096,), weight, 1e-6)",
    "compiled": "y = compiled_rms_norm(x, weight)",
}


def run(out: Path) -> list[Path]:
    """Record the three versions below ``out``, print their tables, write a page for each."""
    from IPython.core.interactiveshell import InteractiveShell

    from . import report
    from .profile import compare

    out.mkdir(parents=True, exist_ok=True)
    home = Path.cwd()
    os.chdir(out)  # captures lie beside the notebook, that is in the current folder
    try:
        shell = InteractiveShell.instance()
        for cell in ("%load_ext neuron_nbprof", "%neuronprof_device simulated", SETUP):
            run_cell(shell, cell)
        profiles = {}
        for name, source in CELLS.items():
            run_cell(shell, f"%%neuronprof {name}\n{source}")
            profiles[name] = shell.user_ns[name]
    finally:
        os.chdir(home)
    pages = []
    for name, profile in profiles.items():
        pages.append(profile.to_html(out / f"{name}.html"))
    print(f"\nside by side\n{report.comparison(compare(*profiles.values()))}\n\n{report.SIMULATED}")
    for page in pages:
        print(f"explorer: {page.resolve()}")
    # Else torch complains when the interpreter ends: what it would clean up is gone by then.
    run_cell(shell, "torch._dynamo.reset(); torch._dynamo.utils.CleanupManager.instance.refs.clear()")
    return pages


def run_cell(shell: object, cell: str) -> None:
    """Run a cell in an IPython shell.  Raises `CaptureError` where it fails."""
    result = shell.run_cell(cell)  # type: ignore[attr-defined]
    if not result.success:
        raise CaptureError(f"The demo stopped at: {cell.strip().splitlines()[0]}")
