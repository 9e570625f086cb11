"""How notebooks are executed here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

#: A kernel's configuration under which every explorer stands in the output as a page, also where a notebook
#: loads no magics: it can be clicked in the documentation, which shows the notebooks as executed here.
EMBEDDED = """
c.NeuronMagics.embed = True
c.InteractiveShellApp.exec_lines = [
    "from neuron_nbprof.explorer import session as _session; _session.pages = True; del _session"
]
"""


@pytest.fixture(autouse=True)
def explorers_are_embedded_where_notebooks_are_kept(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.environ.get("NBPROF_NOTEBOOKS_OUT"):
        profile = Path(tmp_path_factory.mktemp("ipython")) / "profile_default"
        profile.mkdir()
        (profile / "ipython_kernel_config.py").write_text(EMBEDDED)
        monkeypatch.setenv("IPYTHONDIR", str(profile.parent))
