"""Record the packaged captures again: the three RMSNorms on the simulated device.

    python tools/make_examples.py

They go to neuron_nbprof/examples/, without anything of the machine they were made on.
"""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from neuron_nbprof import EXAMPLES, demo

INSTANCE, PROCESS, THREAD = "sim-example", 4242, 4242
EXAMPLES_FOLDER = Path(__file__).parent.parent / "neuron_nbprof" / "examples"


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        demo.run(Path(place))
        for example in EXAMPLES:
            (trace,) = Path(place).glob(
                f"neuron_profiles/{example.removeprefix('rmsnorm_')}-*/*/*/trace.json"
            )
            package(trace.parent, EXAMPLES_FOLDER / example)


def package(session: Path, out: Path) -> None:
    """One capture, packed small, its host, process and thread replaced."""
    shutil.rmtree(out, ignore_errors=True)
    folder = out / f"{INSTANCE}_pid_{PROCESS}" / session.name
    folder.mkdir(parents=True)
    record = json.loads((session.parent.parent / "capture.json").read_text())
    record |= {"name": out.name, "kernel_id": None, "notebook": None}
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
    for table in session.glob("*.parquet"):
        pq.write_table(
            anonymous(pq.read_table(table), names),
            folder / table.name,
            compression="zstd",
            store_schema=False,
        )


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
