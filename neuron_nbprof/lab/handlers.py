"""What the browser may ask: the list of captures, and the explorer of one or of several as a page."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
from functools import cached_property
from pathlib import Path
from typing import Any

from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler, JupyterHandler
from jupyter_server.utils import ensure_async, url_path_join
from tornado import web

from .._version import __version__
from ..errors import ReadError
from .facts import DeviceTimes
from .listing import find
from .root import OutsideError, Root

NAMESPACE = "neuron-nbprof"
#: Whoever may read the files may read the captures.
RESOURCE = "contents"
#: A browser tab does not hold more; the same capture opens in a notebook.
MAX_BYTES = 2 << 30
#: More timelines, one below the other, nobody compares by eye.
MAX_COMPARED = 16


def add_handlers(app: web.Application) -> None:
    base = url_path_join(app.settings["base_url"], NAMESPACE)
    shared = {"times": DeviceTimes(), "reading": asyncio.Lock()}
    app.add_handlers(
        ".*$",
        [
            (url_path_join(base, "captures"), CapturesHandler, shared),
            (url_path_join(base, "page"), PageHandler, shared),
        ],
    )


class CaptureHandler(JupyterHandler):
    """What both handlers share; ``reading`` lets one capture be read at a time."""

    auth_resource = RESOURCE

    def initialize(self, times: DeviceTimes, reading: asyncio.Lock) -> None:
        self.times = times
        self.reading = reading

    @cached_property
    def root(self) -> Root:
        return Root(self.settings["server_root_dir"])

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Errors are data here, also of the page: what it is fetched by shows them."""
        error = kwargs.get("exc_info", (None, None))[1]
        message = None
        if isinstance(error, web.HTTPError) and error.log_message:
            message = error.log_message % error.args  # tornado keeps it as a format
        self.set_header("Content-Type", "application/json")
        self.finish(json.dumps({"message": message or "The Neuron profiler's server part failed."}))


class CapturesHandler(CaptureHandler, APIHandler):
    """GET: every capture below the root, newest first, and the version of this side."""

    @web.authenticated
    @authorized("read")
    async def get(self) -> None:
        running = await ensure_async(self.kernel_manager.list_kernels())
        document = await asyncio.to_thread(self._list, {kernel["id"] for kernel in running})
        self.finish(json.dumps(document))  # tornado gives it an ETag and answers 304

    def _list(self, kernels: set[str]) -> dict[str, Any]:
        listing = find(self.root, kernels)
        self.times.tell(listing.captures, self.root)
        return {"version": __version__, "root": str(self.root.folder), **listing.document()}


class PageHandler(CaptureHandler):
    """GET ?path=: the explorer of one capture, or of several compared, as a page with a policy of its own."""

    @property
    def content_security_policy(self) -> str:
        """The page carries its own policy; this one holds also in a tab of its own: no origin, no session."""
        return "frame-ancestors 'self'; sandbox allow-scripts"

    @web.authenticated
    @authorized("read")
    async def get(self) -> None:
        paths = self.get_query_arguments("path") or [""]
        if len(paths) > MAX_COMPARED:
            raise web.HTTPError(
                413, f"{len(paths)} captures are asked for and a page compares at most {MAX_COMPARED}."
            )
        try:
            targets = [await asyncio.to_thread(self.root.resolve, path) for path in paths]
        except OutsideError:
            raise web.HTTPError(404, "There is no such capture.") from None
        tag, size = await asyncio.to_thread(_identity, targets)
        if size > MAX_BYTES:
            raise web.HTTPError(413, _too_large(paths, size))
        self.set_header("ETag", tag)
        if self.check_etag_header():
            self.set_status(304)
            return
        try:
            async with self.reading:
                page = await asyncio.to_thread(_page, targets)
        except ReadError as error:
            raise web.HTTPError(422, str(error)) from None
        self.set_header("Content-Type", "text/html; charset=UTF-8")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.finish(page)


def _too_large(paths: list[str], size: int) -> str:
    holds, it = ("holds", "it") if len(paths) == 1 else ("together hold", "them")
    most = f"a tab shows at most {MAX_BYTES >> 30} GiB"
    return f"{', '.join(paths)} {holds} {size:,} bytes and {most}; open {it} in a notebook."


def _identity(targets: list[Path]) -> tuple[str, int]:
    """A tag that changes whenever one of the captures or this package does, and the bytes of all captures."""
    digest, size = hashlib.sha256(__version__.encode()), 0
    for target in targets:
        digest.update(b"\0\0")
        for file in _files(target):
            stat = file.stat()
            size += stat.st_size
            digest.update(f"{file}\0{stat.st_mtime_ns}\0{stat.st_size}\0".encode())
    return f'"{digest.hexdigest()[:32]}"', size


def _files(target: Path) -> list[Path]:
    if target.is_file():
        return [target]
    return sorted(Path(place, name) for place, _, names in os.walk(target) for name in names)


def _page(targets: list[Path]) -> str:
    # Drawing needs Bokeh, which a server that nobody asks for a page never loads.
    from .. import open as open_profile
    from ..explorer import page

    return page.html(*map(open_profile, targets))
