"""One self-contained HTML file: the explorer, its data and BokehJS. It works from disk, without a network."""

from __future__ import annotations

import gzip
import html as markup
import json
import secrets
from base64 import b64encode
from pathlib import Path
from typing import Any

from .answers import comparison
from .columns import encode
from .figure import bokeh_js, timeline_item
from .frontend import module

#: Nothing is loaded from anywhere. Scripts run with the page's own nonce; BokehJS and nothing else is
#: imported from a Blob that the page makes. Bokeh styles its elements from script, hence the inline styles.
POLICY = (
    "default-src 'none'; script-src 'nonce-{nonce}' blob:; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; base-uri 'none'; form-action 'none'"
)

TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>body {{ margin: 0; padding: 12px; }}</style>
</head>
<body>
<main id="explorer"><noscript>This page draws with JavaScript, which is switched off here.</noscript></main>
{traces}
<script type="application/json" id="figure">{figure}</script>
<script type="text/plain" id="bokeh">{bokeh}</script>
<script type="module" nonce="{nonce}">{module}</script>
</body>
</html>
"""

TRACE = """<script type="application/json" data-part="meta">{meta}</script>
<script type="text/plain" data-part="columns">{columns}</script>"""

COMPARISON = '<script type="application/json" data-part="comparison">{comparison}</script>'

#: The page inside another one: it runs its own scripts, and reaches nothing around it.
FRAME = (
    '<iframe title="{title}" sandbox="allow-scripts" srcdoc="{page}" loading="lazy" '
    'style="width: 100%; height: {height}px; border: 0; color-scheme: light dark"></iframe>'
)


def write(profile: Any, path: str | Path, *others: Any) -> Path:
    """Write the explorer of ``profile``, and of others beside it, to ``path`` and return it.

    Raises OSError when the file cannot be written.
    """
    path = Path(path)
    path.write_text(html(profile, *others), encoding="utf-8")
    return path


def html(*profiles: Any) -> str:
    """The explorer of a profile as the text of one HTML file; several are drawn on one scale."""
    nonce = secrets.token_urlsafe(16)
    traces = [encode(profile) for profile in profiles]
    parts = [TRACE.format(meta=_json(one.meta), columns=_packed(one.block)) for one in traces]
    if len(profiles) > 1:
        parts.append(COMPARISON.format(comparison=_json(comparison(profiles))))
    return TEMPLATE.format(
        policy=POLICY.format(nonce=nonce),
        nonce=nonce,
        title=markup.escape(title(*profiles)),
        traces="\n".join(parts),
        figure=_json(timeline_item()),
        bokeh=_packed(bokeh_js()),
        module=_script(module("page.js")),
    )


def title(*profiles: Any) -> str:
    label = "SIMULATED · " if any(profile.simulated for profile in profiles) else ""
    return label + " and ".join(profile.title for profile in profiles)


def frame(*profiles: Any, height: int = 900) -> str:
    """The page as an iframe that carries it, for outputs that must work without a kernel."""
    return FRAME.format(
        title=markup.escape(f"Explorer of {title(*profiles)}"),
        page=markup.escape(html(*profiles)),
        height=height,
    )


def _json(value: Any) -> str:
    """JSON that no markup can be read out of, whatever the texts in it say."""
    return json.dumps(value, ensure_ascii=True).replace("<", "\\u003c")


def _packed(data: bytes) -> str:
    return b64encode(gzip.compress(data, 6, mtime=0)).decode("ascii")


def _script(source: str) -> str:
    """Our own module, which must not end the element it stands in."""
    return source.replace("</script", "<\\/script").replace("<!--", "<\\!--")
