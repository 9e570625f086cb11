"""``neuron-nbprof``: the explorer and its answers from a shell."""

from __future__ import annotations

import argparse
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path

import neuron_nbprof

from .errors import CaptureError, NeuronProfilerError
from .profile import Profile


def main(argv: Sequence[str] | None = None) -> int:
    """Run one verb; the exit code is 1 when it could not, with one sentence on stderr."""
    options = _parser().parse_args(argv)
    try:
        options.run(options)
    except NeuronProfilerError as error:
        print(f"neuron-nbprof: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="neuron-nbprof", description="Explore profiles of PyTorch on AWS Trainium."
    )
    parser.add_argument("--version", action="version", version=f"neuron-nbprof {neuron_nbprof.__version__}")
    verbs = parser.add_subparsers(required=True, metavar="VERB")

    summary = verbs.add_parser("summary", help="headline and operator table of a capture, as text")
    summary.add_argument("path", help="a capture folder, a folder above one, or a trace.json(.gz)")
    summary.add_argument("--rows", type=int, default=12, help="operators to print (default: %(default)s)")
    summary.add_argument(
        "--where", choices=("all", "compute"), default="all", help="compute: only what executed"
    )
    summary.set_defaults(run=_summary)

    view = verbs.add_parser("view", help="write the explorer of a capture as one page and open it")
    view.add_argument("path", help="a capture folder, a folder above one, or a trace.json(.gz)")
    view.add_argument("-o", "--out", type=Path, help="the page to write (default: a temporary file)")
    view.add_argument("--no-browser", action="store_true", help="write the page and only say where")
    view.set_defaults(run=_view)

    convert = verbs.add_parser("convert", help="bring the device lanes of a capture with neuron-explorer")
    convert.add_argument("path", type=Path, help="a capture folder of a Neuron device")
    convert.set_defaults(run=_convert)

    doctor = verbs.add_parser("doctor", help="what is here for profiling and what is not, and what to do")
    doctor.add_argument("--device-mode", action="store_true", help="also whether there is HBM for it")
    doctor.set_defaults(run=_doctor)

    demo = verbs.add_parser(
        "demo", help="the explorer over a packaged capture; needs neither torch nor Trainium"
    )
    demo.add_argument(
        "name", nargs="?", default=neuron_nbprof.EXAMPLES[0], help=", ".join(neuron_nbprof.EXAMPLES)
    )
    demo.add_argument(
        "--live", action="store_true", help="record the three RMSNorms now on the simulated device"
    )
    demo.add_argument("-o", "--out", type=Path, help="with --live the folder, else the page to write")
    demo.add_argument("--no-browser", action="store_true", help="write the page and only say where")
    demo.set_defaults(run=_demo)
    return parser


def _summary(options: argparse.Namespace) -> None:
    from . import report

    profile = neuron_nbprof.open(options.path)
    print(report.headline(profile))
    print(report.operators(profile, options.where, options.rows))
    for note in profile.notes:
        print(f"note: {note.text} ({note.count:,})")


def _view(options: argparse.Namespace) -> None:
    _show(neuron_nbprof.open(options.path), options.out, not options.no_browser)


def _convert(options: argparse.Namespace) -> None:
    from . import capture

    if not options.path.is_dir():
        raise CaptureError(f"There is no folder {options.path}.")
    outcome = capture.convert(options.path)
    for note in outcome.notes:
        print(note)
    done = "The device lanes are there now." if outcome.done else "Nothing was converted."
    print(f"{done}  Capture: {options.path}")


def _doctor(options: argparse.Namespace) -> None:
    from . import doctor

    print(doctor.text(doctor.examine(device_mode=options.device_mode)))


def _demo(options: argparse.Namespace) -> None:
    if options.live:
        from . import demo

        demo.run(options.out or Path("demo"))
        return
    _show(neuron_nbprof.example(options.name), options.out, not options.no_browser)


def _show(profile: Profile, out: Path | None, browse: bool) -> None:
    """Write the page and open it where there is a browser; always say where it is."""
    from . import report

    page = profile.to_html(out or Path(tempfile.mkdtemp(prefix="neuron-nbprof-")) / f"{profile.title}.html")
    print(report.headline(profile))
    print(f"explorer: {page.resolve()}")
    if browse:
        webbrowser.open(page.resolve().as_uri())


if __name__ == "__main__":
    sys.exit(main())
