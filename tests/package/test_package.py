"""What is installed: the built wheel, whole, light to import, and good for something without torch."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from importlib.metadata import distribution
from pathlib import Path

import pytest

import neuron_nbprof

PROJECT = Path(__file__).parents[2]
RMSNORMS = ("rmsnorm_naive", "rmsnorm_fused", "rmsnorm_compiled")
MYSTERIES = ("mystery_1", "mystery_2", "mystery_3", "mystery_4", "mystery_5")

# Stands in for a machine that never saw torch.
WITHOUT_TORCH = """
import sys

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "torch_neuronx"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NoTorch())
"""


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run code in an interpreter of its own, away from the source tree."""
    command = [sys.executable, "-I", "-c", code]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def files() -> dict[str, Path]:
    """The files of the installed wheel: the name in the wheel -> the path on disk."""
    return {str(file): Path(file.locate()) for file in distribution("neuron-nbprof").files or ()}


def test_the_tests_meet_the_installed_wheel_and_not_the_source_tree():
    assert Path(neuron_nbprof.__file__).is_relative_to(sysconfig.get_path("purelib"))
    assert PROJECT / "neuron_nbprof" not in Path(neuron_nbprof.__file__).parents


def test_the_wheel_holds_the_built_frontend(files):
    for name in ("widget", "drawing", "page"):
        assert files[f"neuron_nbprof/_frontend/{name}.js"].stat().st_size > 500


def test_the_wheel_holds_the_jupyterlab_extension_and_switches_its_server_part_on(files):
    shared = {name.partition("share/jupyter/labextensions/")[2] for name in files} - {""}
    assert {"neuron-nbprof/package.json", "neuron-nbprof/install.json"} <= shared
    assert any(re.fullmatch(r"neuron-nbprof/static/remoteEntry\.\w+\.js", name) for name in shared)
    (config,) = (path for name, path in files.items() if "jupyter_server_config.d/" in name)
    assert json.loads(config.read_text()) == {
        "ServerApp": {"jpserver_extensions": {"neuron_nbprof.lab": True}}
    }


def test_the_wheel_holds_the_examples_in_less_than_25_kb_each(files):
    assert neuron_nbprof.EXAMPLES == RMSNORMS + MYSTERIES
    for example in neuron_nbprof.EXAMPLES:
        sizes = [
            path.stat().st_size
            for name, path in files.items()
            if name.startswith(f"neuron_nbprof/examples/{example}/")
        ]
        assert sizes and sum(sizes) < 25_000


def test_the_wheel_holds_nothing_that_belongs_to_building_and_testing(files):
    folders = {name.partition("/")[0] for name in files if not name.startswith("..")}
    assert folders == {"neuron_nbprof", f"neuron_nbprof-{neuron_nbprof.__version__}.dist-info"}
    assert not [name for name in files if name.endswith((".ts", ".map"))]


def test_there_is_one_version():
    frontend = json.loads((PROJECT / "frontend" / "package.json").read_text())
    assert frontend["version"] == neuron_nbprof.__version__
    version = distribution("neuron-nbprof").version
    assert neuron_nbprof.__version__ == version
    assert f"\n## {version}" in (PROJECT / "CHANGELOG.md").read_text()


def test_importing_it_loads_nothing_heavy(tmp_path):
    heavy = "{'torch', 'bokeh', 'pandas', 'pyarrow', 'numpy', 'anywidget', 'IPython'}"
    run = python(f"import sys, neuron_nbprof; print(sorted({heavy} & set(sys.modules)))", tmp_path)
    assert (run.stderr, run.stdout.strip()) == ("", "[]")


@pytest.mark.parametrize("example", RMSNORMS)
def test_the_demo_writes_its_page_without_torch(example, tmp_path):
    code = (
        f"from neuron_nbprof.cli import main; main(['demo', {example!r}, '--no-browser', '-o', 'page.html'])"
    )
    run = python(WITHOUT_TORCH + code, tmp_path)
    assert run.returncode == 0, run.stderr
    assert str(tmp_path / "page.html") in run.stdout
    assert "SIMULATED" in (tmp_path / "page.html").read_text()


def test_an_example_answers_without_torch(tmp_path):
    code = "from neuron_nbprof import example; print(*example('rmsnorm_naive').key_averages('compute').name)"
    run = python(WITHOUT_TORCH + code, tmp_path)
    assert run.stdout.strip() == "aten::mul aten::add aten::rsqrt aten::mean", run.stderr
