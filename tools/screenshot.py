"""Draw the picture of the explorer that README and documentation show: docs/images/explorer.png.

    python tools/screenshot.py

It is the real explorer over the packaged example, in a headless Chromium, with an operator selected.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import neuron_nbprof

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "explorer.png"
OPERATOR = "aten::mul"
SIZE = {"width": 1280, "height": 860}
COLOURS = 128


def main() -> None:
    profile = neuron_nbprof.example("rmsnorm_naive")
    trace = profile.trace
    event = int(trace.id[trace.rows_named(OPERATOR)[-1]])
    chromium = os.environ.get("NBPROF_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = profile.to_html(Path(folder) / "explorer.html")
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport=SIZE, device_scale_factor=1)
        tab.goto(f"{page.as_uri()}#event={event}")
        tab.wait_for_timeout(2000)
        tab.screenshot(path=PICTURE)
        browser.close()
    # Flat colours: a palette of them is a quarter of the size.
    picture = Image.open(PICTURE).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    picture.save(PICTURE, optimize=True)
    print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
