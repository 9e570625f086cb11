"""Record the packaged captures again, on the simulated device: the three RMSNorms and the mysteries.

    python tools/make_examples.py

They go to neuron_nbprof/examples/, without anything of the machine they were made on.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import mysteries
import pyarrow as pa
import pyarrow.parquet as pq
from IPython.core.interactiveshell import InteractiveShell

from neuron_nbprof import RMSNORMS, demo, simulate

INSTANCE, PROCESS, THREAD = "sim-example", 4242, 4242
EXAMPLES_FOLDER = Path(__file__).parent.parent / "neuron_nbprof" / "examples"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        demo.run(place)
        for example in RMSNORMS:
            package(session_of(place, example.removeprefix("rmsnorm_")), EXAMPLES_FOLDER / example)
        with contextlib.chdir(place):
            record_mysteries()
        for name in mysteries.ALL:
            package(session_of(place, name), EXAMPLES_FOLDER / name)


def record_mysteries() -> None:
    """All of them below the current folder."""
    shell = InteractiveShell.instance()
    demo.run_cell(shell, mysteries.SETUP)
    for name, mystery in mysteries.ALL.items():
        simulate(preset=mystery.preset)
        demo.run_cell(shell, mystery.setup)
        magic = "" if mystery.own_profiler else f"%%neuronprof {name} --show none {mystery.options}\n"
        demo.run_cell(shell, magic + mystery.cell)
    demo.run_cell(shell, "torch._dynamo.reset()")  # else it complains when the interpreter ends


def session_of(place: Path, name: str) -> Path:
    """The only session of the capture called ``name``."""
    (trace,) = place.glob(f"neuron_profiles/{name}-*/*/*/trace.json")
    return trace.parent


def package(session: Path, out: Path) -> None:
    """One capture, packed small, its host, process and thread replaced."""
    shutil.rmtree(out, ignore_errors=True)
    folder = out / f"{INSTANCE}_pid_{PROCESS}" / session.name
    folder.mkdir(parents=True)
    described = session.parent.parent / "capture.json"
    if described.is_file():  # a loop that steps a profiler of its own writes none
        record = json.loads(described.read_text()) | {"name": out.name, "kernel_id": None, "notebook": None}
        (out / "capture.json").write_text(json.dumps(record, indent=1) + "\n")

    document = json.loads((session / "trace.json").read_text())
    (host,) = {event["pid"] for event in document["traceEvents"] if event.get("cat") == "privateuse1_runtime"}
    names = {host: PROCESS} | {
        event["tid"]: THREAD for event in document["traceEvents"] if event.get("cat") == "privateuse1_runtime"
    }
    # the text, not the parsed numbers: every time keeps its three decimals
    text = (session / "trace.json").read_text().replace(document["traceName"], "trace.json")
    for old, new in names.items():
        text = text.replace(f'"pid": {old}', f'"pid": {new}').replace(f'"tid": {old}', f'"tid": {new}')
    if "host_name" in document:
        text = text.replace(f'"host_name": {json.dumps(document["host_name"])}', f'"host_name": "{INSTANCE}"')
    packed = gzip.compress(text.encode(), mtime=0)
    (folder / "trace.json.gz").write_bytes(packed)
    for path in session.glob("*.parquet"):
        write_small(anonymous(pq.read_table(path), names), folder / path.name)


def write_small(table: pa.Table, path: Path) -> None:
    """Without Arrow's own copy of the schema, but with what the file says of itself: that it is SIMULATED."""
    with pq.ParquetWriter(path, table.schema, compression="zstd", store_schema=False) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(table.schema.metadata)


def anonymous(table: pa.Table, names: dict[int, int]) -> pa.Table:
    """The table with the example's host, process and thread."""
    new: dict[str, Any] = {"instance_id": lambda old: INSTANCE}
    new |= dict.fromkeys(("process_id", "thread_id"), lambda old: names.get(old, old))
    for position, name in enumerate(table.column_names):
        if name in new:
            column = pa.array(
                [new[name](old) for old in table[name].to_pylist()], table.schema.field(name).type
            )
            table = table.set_column(position, table.schema.field(name), column)
    return table


if __name__ == "__main__":
    main()
