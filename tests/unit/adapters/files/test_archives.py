"""Archives inside archives, and tar archives: read in place, within limits, and nothing from outside."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interchange_values import broken, left_out, record_of, records
from read_files import lay_out, read
from tables import tables
from voice.adapters.files import archives, tarballs
from voice.adapters.files.detection import detect_format
from voice.adapters.files.entries import LEADING_OUT, NO_FILES
from voice.core.errors import DataFileError
from voice.core.interchange.memory_lines import FileLine
from voice.ports.files import FileFormat

TABLES = tables(__file__)

ID = "0123456789abcdef0123456789abcdef"
PAGES = {f"Kiln {ID}.md": b"# Kiln\n\nIt is hot.", f"Kiln {ID}/Shed {ID}.md": b"# Shed\n\nIt is shut."}
NOTES = {"a.md": b"Hot.", "sub/b.md": b"Cold."}
Pack = Callable[[Mapping[str, bytes]], bytes]


def zipped(files: Mapping[str, bytes], *, as_it_is: bool = False) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED if as_it_is else zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def stored(files: Mapping[str, bytes]) -> bytes:
    return zipped(files, as_it_is=True)


def tarred(files: Mapping[str, bytes], *more: tarfile.TarInfo) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for info in more:
            archive.addfile(info)
    return out.getvalue()


def tgz(files: Mapping[str, bytes]) -> bytes:
    return gzip.compress(tarred(files))


PACKED: dict[str, Pack] = {"zip": zipped, "stored zip": stored, "tar": tarred, "tgz": tgz}
every_form = pytest.mark.parametrize("pack", PACKED.values(), ids=list(PACKED))


def put(root: Path, content: bytes, name: str = "export.zip") -> Path:
    (root / name).write_bytes(content)
    return root / name


def notes(lines: list[FileLine]) -> dict[str | None, str]:
    return {record.source_ref: record.content for record in records(lines)}


@pytest.mark.requirement("imports:several", "imports:archives")
@every_form
def test_an_archive_is_read_as_the_folder_it_was_made_of(tmp_path: Path, pack: Pack) -> None:
    path = put(tmp_path, pack(NOTES), "notes.bin")
    assert detect_format(path) is FileFormat.MARKDOWN
    assert notes(read(path)) == {"a.md": "Hot.", "sub/b.md": "Cold."}
    inside = pack({f"notes/{name}": content for name, content in NOTES.items()})
    for name in ("notes.tar.gz", "notes (2).bin"):
        assert notes(read(put(tmp_path, inside, name))) == notes(read(path))
    assert notes(read(put(tmp_path, inside, "other.bin"))).keys() == {"notes/a.md", "notes/sub/b.md"}
    assert {each.name for each in tmp_path.iterdir()} == {"notes.bin", "notes.tar.gz", "notes (2).bin", "other.bin"}


@pytest.mark.requirement("imports:archives")
def test_a_folder_that_dates_its_notes_stays_in_their_paths(tmp_path: Path) -> None:
    (note,) = read(put(tmp_path, zipped({"2024/05/01.md": b"Hot."}), "2024.zip"))
    record = record_of(note)
    assert (record.source_ref, str(record.created_at)[:10]) == ("2024/05/01.md", "2024-05-01")


@pytest.mark.requirement("imports:several", "imports:archives")
@every_form
@pytest.mark.parametrize("outer", [zipped, stored, tarred, tgz])
def test_an_export_that_is_packed_twice_comes_in_whole(tmp_path: Path, pack: Pack, outer: Pack) -> None:
    (first, one), (second, two) = PAGES.items()
    parts = {"Part-1.zip": pack({f"Part-1/{first}": one}), "Part-2.zip": pack({second: two})}
    path = put(tmp_path, outer(parts))
    assert detect_format(path) is FileFormat.NOTION
    assert notes(read(path)) == {name: content.decode() for name, content in PAGES.items()}
    assert notes(read(put(tmp_path, outer({"deep.tgz": tgz(parts)}), "deeper.zip"))) == notes(read(path))
    assert sorted(each.name for each in tmp_path.iterdir()) == ["deeper.zip", "export.zip"]


@pytest.mark.requirement("imports:several")
def test_a_folder_that_holds_archives_alone_is_read_as_what_they_hold(tmp_path: Path) -> None:
    put(tmp_path, zipped({"a.md": b"Hot."}), "part-1.zip")
    put(tmp_path, tgz({"b.md": b"Cold."}), "part-2.tgz")
    assert detect_format(tmp_path) is FileFormat.MARKDOWN
    assert notes(read(tmp_path)) == {"a.md": "Hot.", "b.md": "Cold."}


@pytest.mark.requirement("imports:several")
def test_a_name_in_utf_8_is_read_whether_its_archive_says_so_or_not(tmp_path: Path) -> None:
    for name in ("Appétit.md", "Kiln.md"):
        said = zipped({name: b"Hot."})
        unsaid = bytearray(said)
        for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            unsaid[unsaid.index(mark) + at + 1] &= ~8
        for packed in (bytes(unsaid), said):
            assert notes(read(put(tmp_path, packed))) == {name: "Hot."}
    in_another = zipped({"Appetit.md": b"Hot."}).replace(b"Appetit", b"App\x82tit")
    assert notes(read(put(tmp_path, in_another))) == {"Appétit.md": "Hot."}


@pytest.mark.requirement("imports:archives")
def test_an_archive_among_notes_is_an_attachment(tmp_path: Path) -> None:
    packed = put(tmp_path, zipped({"a.md": b"Hot.", "plans.zip": zipped(NOTES)}))
    lines = read(packed)
    assert notes(lines) == {"a.md": "Hot."}
    assert [reason for _, reason in left_out(lines)] == ["files of other kinds (.zip)"]
    folder = lay_out(tmp_path / "notes", {"plans.zip": zipped(NOTES), "a.md": "Hot."})
    assert notes(read(folder)) == {"a.md": "Hot."}


@pytest.mark.requirement("imports:several", "imports:talk")
def test_chats_that_are_packed_together_keep_their_names(tmp_path: Path) -> None:
    chats = {name: zipped({"_chat.txt": b"[05.03.24, 14:02:11] Irma: Hot."}) for name in ("Paul", "Tom")}
    lines = read(put(tmp_path, zipped({f"WhatsApp Chat - {name}.zip": chat for name, chat in chats.items()})))
    assert {line.where for line in lines} == {"Paul line 1", "Tom line 1"}


@pytest.mark.requirement("imports:several", "imports:vault")
@every_form
def test_a_vault_in_an_archive_is_read_with_its_settings(tmp_path: Path, pack: Pack) -> None:
    settings = {".obsidian/templates.json": b'{"folder": "Forms"}', ".obsidian/plugins/x.json": b"{}"}
    vault = {**settings, "Forms/day.md": b"A form.", "Kiln.md": b"Hot, says [[Irma]].", "a.png": b"x"}
    for files in (vault, {f"vault/{name}": content for name, content in vault.items()}):
        path = put(tmp_path, pack(files), "vault.zip")
        assert detect_format(path) is FileFormat.OBSIDIAN
        lines = read(path)
        assert notes(lines) == {"Kiln.md": "Kiln\n\nHot, says Irma."}
        assert left_out(lines) == [
            ("Forms/day.md", "notes in template folders"), ("vault", "files of other kinds (.png)")
        ]  # fmt: skip


@pytest.mark.requirement("imports:archives")
def test_small_files_of_a_compressed_tar_are_held_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, tgz({**NOTES, "plan.bin": b"x" * 100}))
    monkeypatch.setattr(archives, "MOST_HELD", 8)
    with pytest.raises(DataFileError, match="holds more than 0 MiB in archives inside archives; unpack it"):
        detect_format(path)
    monkeypatch.setattr(archives, "MOST_HELD", 9)
    assert notes(read(path)) == {"a.md": "Hot.", "sub/b.md": "Cold."}
    monkeypatch.setattr(archives, "MOST_FILES", 2)
    with pytest.raises(DataFileError, match="holds more than 2 files"):
        detect_format(path)


@pytest.mark.requirement("imports:archives", "ruling:I7")
def test_nothing_of_a_tar_leads_out_of_it(tmp_path: Path) -> None:
    made: list[tarfile.TarInfo] = []
    for name, kind in (("soft.md", tarfile.SYMTYPE), ("hard.md", tarfile.LNKTYPE), ("pipe.md", tarfile.FIFOTYPE)):
        made.append(tarfile.TarInfo(name))
        made[-1].type, made[-1].linkname = kind, "/etc/passwd"
    content = tarred({"../out.md": b"Hot.", "/abs.md": b"Hot.", "./in.md": b"Hot."}, *made)
    for path in (put(tmp_path, content, "a.tar"), put(tmp_path, gzip.compress(content), "a.tgz")):
        lines = read(path)
        assert notes(lines) == {"in.md": "Hot."}
        left = {where.partition(": ")[2]: reason for where, reason in left_out(lines)}
        leading_out = ("soft.md", "hard.md", "../out.md", "/abs.md")
        assert left == {**dict.fromkeys(leading_out, LEADING_OUT), "pipe.md": NO_FILES}


@pytest.mark.requirement("imports:archives")
@pytest.mark.parametrize(("limit", "most", "said"), TABLES["archives_inside_an_archive_count_towards_its_limits"])
@pytest.mark.parametrize("pack", [zipped, tgz])
def test_archives_inside_an_archive_count_towards_its_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Pack, limit: str, most: int, said: str
) -> None:
    long = b"".join(b"Row %d.\n" % number for number in range(100_000))
    parts = {f"{n}.zip": pack({"a.md": long, "b.md": b"b"}) for n in range(2)}
    path = put(tmp_path, zipped(parts))
    assert detect_format(path) is FileFormat.MARKDOWN
    monkeypatch.setattr(archives, limit, most)
    with pytest.raises(DataFileError, match=said):
        detect_format(path)


@pytest.mark.requirement("imports:archives")
def test_archives_in_too_many_others_are_refused(tmp_path: Path) -> None:
    inside = zipped(NOTES)
    for _ in range(2):
        inside = zipped({"a.zip": inside})
    assert notes(read(put(tmp_path, inside))) == notes(read(put(tmp_path, zipped(NOTES), "flat.zip")))
    with pytest.raises(DataFileError, match="archives nested more than 3 deep"):
        detect_format(put(tmp_path, zipped({"a.zip": inside})))


@pytest.mark.requirement("imports:archives")
def test_what_a_compressed_tar_unpacks_to_is_counted_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path, tgz({"zeros.bin": b"\x00" * 900_000, "a.md": b"Hot."}))
    assert notes(read(path)) == {"a.md": "Hot."}
    monkeypatch.setattr(archives, "_SMALL", 1_000)
    with pytest.raises(DataFileError, match="unpacks to more than 500 times its size"):
        detect_format(path)


@pytest.mark.requirement("imports:archives")
def test_a_large_file_of_a_compressed_tar_is_read_from_the_front_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tarballs, "_LARGE", 100)
    monkeypatch.setattr(archives, "MOST_HELD", 10)
    long = "\n\n".join(f"Row {number}." for number in range(400))
    assert notes(read(put(tmp_path, tgz({"a.md": b"Hot.", "b.md": long.encode()})))) == {"a.md": "Hot.", "b.md": long}


@pytest.mark.requirement("imports:archives")
@pytest.mark.parametrize("size", [8 * 1024**3 - 1, -512], ids=["more than there is", "less than nothing"])
def test_a_head_that_lies_about_its_length_is_a_broken_archive(tmp_path: Path, size: int) -> None:
    liar = tarfile.TarInfo("a.md" if size < 0 else "pax")
    liar.type = tarfile.REGTYPE if size < 0 else tarfile.XHDTYPE
    head = bytearray(liar.tobuf(tarfile.GNU_FORMAT))
    head[124:136] = tarfile.itn(size, 12, tarfile.GNU_FORMAT)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\x00 " % sum(head)
    for name, content in (("a.tar", bytes(head)), ("a.tgz", gzip.compress(bytes(head)))):
        with pytest.raises(DataFileError, match=r"is a broken (compressed )?tar archive"):
            detect_format(put(tmp_path, content + b"\x00" * 1024 if name == "a.tar" else content, name))


@pytest.mark.requirement("imports:archives")
@pytest.mark.parametrize("cut", [300, 700, 1_100])
def test_a_tar_that_is_cut_off_is_broken_and_no_shorter_one(tmp_path: Path, cut: int) -> None:
    whole = tarred({"a.md": b"Hot.", "b.md": b"Cold."})
    for name, content in (("a.tar", whole[:cut]), ("a.tgz", gzip.compress(whole)[: cut // 20])):
        with pytest.raises(DataFileError, match=r"broken|unknown format|compressed with gzip"):
            detect_format(put(tmp_path, content, name))
    garbled = whole[:1024] + b"\x01" * 512 + whole[1536:]
    with pytest.raises(DataFileError, match=r"is a broken (compressed )?tar archive"):
        detect_format(put(tmp_path, garbled, "b.tar"))


SEEDS = [
    *(pack(PAGES) for pack in PACKED.values()),
    zipped({"a.zip": stored(NOTES), "b.tgz": tgz(NOTES), "c.tar": tarred(NOTES)}),
    zipped({"/": b"", "Kiln.md": b"Hot."}).replace(b"\x01\x00/", b"\x00\x00/"),
]


@pytest.mark.requirement("imports:archives", "imports:refused")
@settings(max_examples=300)
@given(
    seed=st.sampled_from(SEEDS),
    changes=st.lists(st.tuples(st.integers(0, 2**20), st.binary(max_size=3), st.integers(0, 8)), max_size=5),
    is_inside=st.booleans(),
)
def test_any_damage_is_a_refusal_or_costs_what_it_touches(
    tmp_path_factory: pytest.TempPathFactory, seed: bytes, changes: list[tuple[int, bytes, int]], *, is_inside: bool
) -> None:
    is_packed = is_inside and seed[:2] == b"\x1f\x8b"
    content = bytearray(gzip.decompress(seed) if is_packed else seed)
    for at, new, less in changes:
        start = at % (len(content) or 1)
        content[start : start + less] = new
    path = put(tmp_path_factory.getbasetemp(), gzip.compress(bytes(content)) if is_packed else bytes(content))
    try:
        told = [line.where for line in read(path)]
    except DataFileError as refusal:
        told = [refusal.message]
    assert all(told)


@pytest.mark.requirement("imports:archives")
def test_an_archive_inside_that_is_broken_costs_no_other(tmp_path: Path) -> None:
    cut = zipped({"a.md": b"Hot."})[:-30]
    lines = read(put(tmp_path, zipped({"1.zip": cut, "2.zip": zipped({"b.md": b"Cold."})})))
    assert notes(lines) == {"b.md": "Cold."}
    misplaced = stored({"1.zip": stored(NOTES)})
    at = misplaced.rindex(b"PK\x01\x02") + 42
    moved = misplaced[:at] + (4).to_bytes(4, "little") + misplaced[at + 4 :]
    with pytest.raises(DataFileError, match=r"holds only unknown formats|is a broken"):
        detect_format(put(tmp_path, moved, "moved.zip"))
    assert broken(lines) == [("1.zip", "is a broken ZIP archive; download or export it again")]
