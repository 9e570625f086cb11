"""NEFF and NTFF: headers, lists, states. Files are put together here byte by byte."""

from __future__ import annotations

import gzip
import hashlib
import io
import struct
import tarfile
import uuid
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neuron_nbprof import ReadError
from neuron_nbprof.formats import neff, ntff, source
from neuron_nbprof.formats.source import Source

UNIQUE = uuid.UUID(int=0x0123456789ABCDEF0123456789ABCDEF)


def header(data: bytes, package: int = 2) -> bytes:
    """The documented offsets, one by one."""
    out = bytearray(1024)
    struct.pack_into("<QQQQQ", out, 0x000, package, 1024, len(data), 2, 1)
    out[0x028 : 0x028 + 7] = b"2.21.33"
    struct.pack_into("<I", out, 0x0A8, 1)
    out[0x0AC : 0x0AC + 32] = hashlib.md5(data).digest() + b"0" * 16
    out[0x0CC : 0x0CC + 16] = UNIQUE.bytes
    out[0x0DC : 0x0DC + 9] = b"mul--f32_"
    struct.pack_into("<I", out, 0x1DC, 2)
    struct.pack_into("<QI", out, 0x220, 0b101, 2)
    return bytes(out)


def tar(members: list[tuple[str, bytes, bytes]]) -> bytes:
    """A tar of (name, kind, contents)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, kind, contents in members:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = kind, len(contents), "target"
            archive.addfile(info, io.BytesIO(contents))
    return out.getvalue()


FILE, FOLDER, SYMLINK, HARDLINK = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE
LONG = "sg00/" + "x" * 150 + ".bin"
MEMBERS = [
    ("info.json", FILE, b"{}"),
    ("sg00", FOLDER, b""),
    ("sg00/pe.bin", FILE, b"\1" * 1000),
    (LONG, FILE, b"\2" * 513),
]
LISTED = [
    neff.Member("info.json", 2, "file"),
    neff.Member("sg00", 0, "folder"),
    neff.Member("sg00/pe.bin", 1000, "file"),
    neff.Member(LONG, 513, "file"),
]


def write(folder: Path, data: bytes, name: str = "neff_7.neff") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_header_and_members(tmp_path: Path) -> None:
    packed = gzip.compress(tar(MEMBERS))
    found = neff.describe(write(tmp_path, header(packed) + packed))
    assert found.form == "header and gzipped tar"
    assert found.size == 1024 + len(packed)
    assert found.members == LISTED
    assert found.notes == []
    assert found.header == neff.NeffHeader(
        package_version=2, header_size=1024, data_size=len(packed), major_version=2, minor_version=1,
        build_version="2.21.33", is_gzip=True, hash=hashlib.md5(packed).digest() + b"0" * 16,
        uuid=str(UNIQUE), network_name="mul--f32_", neuroncore_count=2, enabled_features=5,
        pcore_count_per_lnc=2,
    )  # fmt: skip


def test_header_and_plain_tar(tmp_path: Path) -> None:
    plain = tar(MEMBERS)
    found = neff.describe(write(tmp_path, header(plain, package=1) + plain))
    assert (found.form, found.members) == ("header and tar", LISTED)


@pytest.mark.parametrize(("packed", "form"), [(True, "bare gzipped tar"), (False, "bare tar")])
def test_a_tar_without_header(tmp_path: Path, packed: bool, form: str) -> None:
    plain = tar(MEMBERS)
    found = neff.describe(write(tmp_path, gzip.compress(plain) if packed else plain))
    assert (found.form, found.header, found.members) == (form, None, LISTED)


def test_posix_long_names(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as archive:
        info = tarfile.TarInfo("\N{GREEK SMALL LETTER MU}" * 90)
        info.size = 3
        archive.addfile(info, io.BytesIO(b"abc"))
    found = neff.describe(write(tmp_path, out.getvalue()))
    assert found.members == [neff.Member("\N{GREEK SMALL LETTER MU}" * 90, 3, "file")]


def test_links_and_ways_out_are_refused(tmp_path: Path) -> None:
    names = ["/etc/passwd", "../x", "a/../../x", "..\\x", "C:\\x"]
    bad = [(name, FILE, b"x") for name in names] + [("l", SYMLINK, b""), ("h", HARDLINK, b"")]
    found = neff.describe(write(tmp_path, tar([*bad, *MEMBERS])))
    assert found.members == LISTED
    assert found.notes == ["7 links or paths out of the archive, refused"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["neff_7.neff"]


def test_a_bomb_ends_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source.LIMITS, "unpacked_bytes", 100_000)
    packed = gzip.compress(tar([("small", FILE, b"x"), ("large", FILE, bytes(1_000_000))]))
    found = neff.describe(write(tmp_path, packed))
    assert found.members == [neff.Member("small", 1, "file")]
    assert found.notes == ["the list of members ends early (a member beyond the limit of 100,000 bytes)"]


def test_a_cut_file_lists_what_is_there(tmp_path: Path) -> None:
    packed = gzip.compress(tar(MEMBERS), 0)
    found = neff.describe(write(tmp_path, header(packed) + packed[:2000]))
    assert found.members[0] == LISTED[0]
    assert found.notes[0] == f"the header announces {len(packed):,} bytes, 2,000 follow it"
    assert found.notes[1].startswith("the list of members ends early")


@pytest.mark.parametrize(
    ("data", "form"),
    [(b"", "empty"), (b"words", "opaque: neither a NEFF header nor a tar"),
     (header(b""), "header without a tar behind it")],
)  # fmt: skip
def test_other_contents(tmp_path: Path, data: bytes, form: str) -> None:
    assert neff.describe(write(tmp_path, data)).form == form


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="cannot be read"):
        neff.describe(tmp_path / "no.neff")
    with pytest.raises(ReadError, match="cannot be read"):
        ntff.describe(tmp_path / "no.ntff")


def test_it_is_recognised_and_refused_as_a_timeline(tmp_path: Path) -> None:
    packed = gzip.compress(tar(MEMBERS))
    for data in (header(packed) + packed, packed, tar(MEMBERS)):
        found = Source(io.BytesIO(data))
        assert neff.recognises(found.head())
        with pytest.raises(ReadError, match="a compiled program, and holds no events"):
            neff.read(found)
    assert not neff.recognises(b'{"traceEvents": []}')
    assert not neff.recognises(b"")


def test_sha256(tmp_path: Path) -> None:
    assert neff.sha256(write(tmp_path, b"abc")) == hashlib.sha256(b"abc").hexdigest()


@given(st.integers(0, 5_000), st.integers(0, 255), st.booleans(), st.integers(0, 6_000))
@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_changed_byte_and_any_cut(
    tmp_path: Path, position: int, byte: int, packed: bool, end: int
) -> None:
    whole = bytearray(gzip.compress(tar(MEMBERS), 0) if packed else tar(MEMBERS))
    whole[:0] = header(bytes(whole))
    whole[position % len(whole)] = byte
    found = neff.describe(write(tmp_path, bytes(whole[:end])))
    assert len(found.members) <= len(MEMBERS)


@given(st.binary(max_size=700))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes(tmp_path: Path, data: bytes) -> None:
    assert neff.describe(write(tmp_path, data)).size == len(data)
    neff.describe(write(tmp_path, header(data) + data))


@pytest.mark.parametrize(
    ("size", "state"),
    [(0, "empty: nothing ran on this core in the window, or there was no warm-up"),
     (128, "header only: nothing ran on this core in the window"), (129, "holds a device trace")],
)  # fmt: skip
def test_states_of_a_device_trace(tmp_path: Path, size: int, state: str) -> None:
    found = ntff.describe(write(tmp_path, bytes(size), "profile_nc_3_session_1.ntff"))
    assert (found.size, found.state, found.named.core, found.named.session) == (size, state, 3, 1)


def test_a_device_trace_is_no_timeline(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match=r"an NTFF.*neuron-explorer view -d"):
        ntff.read(Source(write(tmp_path, bytes(500), "profile.ntff")))
    assert not ntff.recognises(bytes(500))
