"""MkDocs hooks: tutorials from the executed notebooks, tables from the code, and parts of the README.

The notebooks are those that the tests have executed, explorers embedded; `make docs` sees to it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import nbformat
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from nbconvert import MarkdownExporter
from reference import TABLES
from traitlets.config import Config

PROJECT = Path(__file__).parent.parent
NOTEBOOKS = PROJECT / "notebooks"
EXECUTED = Path(os.environ.get("NBPROF_NOTEBOOKS_OUT") or PROJECT / "build" / "notebooks")
TUTORIALS = "Tutorials"

_MARK = re.compile(r"\{\{ (\w+) \}\}")
_README = re.compile(r"\{\{ README: (.+?) \}\}")


def on_config(config: MkDocsConfig) -> None:
    """List the tutorials in the navigation, in the order of their names."""
    if not (EXECUTED / "done").exists():
        raise PluginError(f"There are no executed notebooks in {EXECUTED}: build with `make docs`.")
    for entry in config.nav or ():
        if TUTORIALS in entry:
            entry[TUTORIALS] += [{_title(path): _page(path)} for path in _notebooks()]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path in _notebooks():
        files.append(File.generated(config, _page(path), content=_markdown(path)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    markdown = _README.sub(lambda found: _section(found[1]), markdown)
    return _MARK.sub(lambda found: _table(found[1]), markdown)


def _table(name: str) -> str:
    if name not in TABLES:
        raise PluginError(f"There is no table {name!r}; there are {', '.join(TABLES)}.")
    return TABLES[name]()


def _section(title: str) -> str:
    """A section of the README, without its heading."""
    text = (PROJECT / "README.md").read_text(encoding="utf-8")
    _, found, rest = text.partition(f"\n## {title}\n")
    if not found:
        raise PluginError(f"The README has no section {title!r}.")
    return re.split(r"\n## ", rest)[0].strip()


# --- notebooks ---


def _notebooks() -> list[Path]:
    """Paths below notebooks/; those of a language in a folder of its own come last."""
    found = (path.relative_to(NOTEBOOKS) for path in NOTEBOOKS.rglob("*.ipynb"))
    shown = (path for path in found if not path.parent.name.startswith("."))
    return sorted(shown, key=lambda path: (len(path.parts), path))


def _page(path: Path) -> str:
    return f"tutorials/{path.with_suffix('.md').as_posix()}"


def _title(path: Path) -> str:
    """The first heading, wherever it stands: right-to-left text begins with an element."""
    first = nbformat.read(NOTEBOOKS / path, as_version=4).cells[0].source
    heading = re.search(r"^# (.+)$", first, re.MULTILINE)
    return heading[1] if heading else path.stem


def _markdown(path: Path) -> str:
    """A notebook as Markdown, its outputs as HTML where they have any."""
    notebook = nbformat.read(_executed(path), as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = _for_python_markdown(cell.source)
    pictures_within = Config(ExtractOutputPreprocessor={"enabled": False})
    text, _ = MarkdownExporter(config=pictures_within).from_notebook_node(notebook)
    return text


def _executed(path: Path) -> Path:
    """The notebook as executed, or as stored where the tests do not execute it, which it then says itself."""
    return next(kept for kept in (EXECUTED / path, NOTEBOOKS / path) if kept.exists())


def _for_python_markdown(text: str) -> str:
    """Where Jupyter's Markdown and this site's differ: Markdown within HTML, and links between notebooks."""
    text = re.sub(r"<(details|div)\b(?![^>]*\bmarkdown\b)", r'<\1 markdown="1"', text)
    return re.sub(r"(\]\([^)\s]+)\.ipynb([#)])", r"\1.md\2", text)
