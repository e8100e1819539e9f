"""Exports of many programs: known by what stands in them, read whole, and named where something is missing."""

import io
import shutil
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exported_files import EXPORTS, Exported
from interchange_values import broken, contents, left_out, note_of, record_of, records
from read_files import lay_out, read
from voice.adapters.files import chats
from voice.adapters.files.chats import read_activity, read_evernote
from voice.adapters.files.detection import detect_format
from voice.core.interchange.build import line_id
from voice.core.interchange.foreign.chatgpt import messages_lines
from voice.core.interchange.foreign.coding_agents import claude_code_lines
from voice.core.interchange.foreign.messengers import telegram_lines
from voice.core.interchange.foreign.takeout import keep_lines
from voice.core.interchange.foreign.vault import named_blocks, read_logseq_page
from voice.core.interchange.memory_lines import MAX_TEXT_CHARS, BadLine, Omission, ParsedLine
from voice.core.records import Origin
from voice.ports.files import FileFormat, ReadRequest

UTC = ReadRequest(path="").zone


@pytest.mark.requirement("imports:programs")
@pytest.mark.parametrize("exported", EXPORTS.values(), ids=list(EXPORTS))
def test_what_a_program_exported_comes_in(tmp_path: Path, exported: Exported) -> None:
    path = exported.write(tmp_path)
    assert detect_format(path) is exported.kind
    lines = read(path)
    assert broken(lines) == []
    assert tuple((each.speaker, each.content) for each in records(lines)) == exported.said
    assert {each.created_at and each.created_at.date().isoformat() for each in records(lines)} == {exported.day}
    missing = Counter[str]()
    for line in lines:
        parts = [line] if isinstance(line, Omission) else line.partly if isinstance(line, ParsedLine) else []
        for part in parts:
            missing[part.reason.partition(" ")[0]] += part.count
    assert missing == Counter(exported.missing)


@pytest.mark.requirement("imports:programs")
def test_what_a_note_says_of_itself_comes_with_it(tmp_path: Path) -> None:
    tags = {"keep": ("shed",), "evernote": ("craft",), "notion": ("shed", "craft")}
    assert {name: records(read(EXPORTS[name].write(tmp_path / name)))[-1].tags for name in tags} == tags
    (page,) = [line for line in read(EXPORTS["logseq"].write(tmp_path / "l")) if line.where.startswith("pages/Kiln")]
    assert (note_of(page).name, [link.target for link in note_of(page).links]) == ("Kiln/Shed", ["Kiln"])
    assert record_of(page).tags == ("craft", "shed")


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_notes_are_found_however_a_file_is_cut(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(chats, "_PIECE", size)
    (source,) = EXPORTS["evernote"].files.values()
    (takeout,) = EXPORTS["takeout"].files.values()
    assert [type(line) for line in read_evernote(io.BytesIO(source.encode()))] == [ParsedLine, Omission]
    assert len(list(read_activity(io.BytesIO(takeout.encode()), UTC))) == 4


def test_a_note_that_is_too_long_is_told_and_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chats, "_PIECE", 10)
    monkeypatch.setattr(chats, "_MOST", 60)
    short = "<note><title>Hot.</title></note>"
    source = f"<note>{'a' * 200}</note>{short}"
    lines = list(read_evernote(io.BytesIO(source.encode())))
    assert [type(line) for line in lines] == [BadLine, ParsedLine]
    long = f'<div class="outer-cell{"a" * 200}'
    assert [type(line) for line in read_activity(io.BytesIO(long.encode()), UTC)] == [BadLine]


def test_what_is_none_of_a_program_or_too_long_is_told() -> None:
    long = "a" * (MAX_TEXT_CHARS + 1)
    said = {"messages": [{"id": 1, "type": "message", "date": "2024-03-05T14:00:00", "from_id": "user1", "text": long}]}
    assert isinstance(telegram_lines({}, "export 1")[0], BadLine)
    assert isinstance(telegram_lines(said, "export 1")[0], BadLine)
    assert isinstance(keep_lines({"textContent": long}, "note 1")[0], BadLine)
    (note,) = read_evernote(io.BytesIO(f"<note><content>{long}</content></note>".encode()))
    assert isinstance(note, BadLine)


_VALUES = st.recursive(
    st.none() | st.text(max_size=5) | st.integers() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
_KEYS = st.sampled_from(
    ["messages", "chats", "list", "type", "text", "content", "message", "role", "listContent", "labels", "attachments",
     "createdTimestampUsec", "date_unixtime", "uuid", "title"]
)  # fmt: skip


@given(st.dictionaries(_KEYS, _VALUES | st.just("message") | st.just("user"), max_size=6))
def test_any_values_are_read(value: dict[str, object]) -> None:
    for understand in (telegram_lines, keep_lines, messages_lines, claude_code_lines):
        assert all(isinstance(line, ParsedLine | BadLine | Omission) for line in understand(value, "x"))


@given(
    st.text(alphabet="<>/note![]CDATA&;outercl-div= \"'\n:0123", max_size=120),
    st.text(alphabet="-:(){} \n\tida0123", max_size=120),
)
def test_any_text_is_read(markup: str, outline: str) -> None:
    for source in (markup, f"<note><content>{markup}</content></note>", f'<div class="outer-cell{markup}'):
        lines = [*read_evernote(io.BytesIO(source.encode())), *read_activity(io.BytesIO(source.encode()), UTC)]
        assert all(isinstance(line, ParsedLine | BadLine | Omission) for line in lines)
    assert isinstance(read_logseq_page(outline, dict(named_blocks(outline))).text, str)


def test_a_single_page_of_a_graph_is_read_as_part_of_it(tmp_path: Path) -> None:
    EXPORTS["logseq"].write(tmp_path)
    page = tmp_path / "pages" / "Kiln___Shed.md"
    assert detect_format(page) is FileFormat.LOGSEQ
    assert read(page)[0].where == "pages/Kiln___Shed.md"


@pytest.mark.requirement("imports:programs")
def test_a_page_of_a_graph_is_called_what_the_program_calls_it(tmp_path: Path) -> None:
    EXPORTS["logseq"].write(tmp_path)
    (tmp_path / "pages" / "Kiln___Is it hot%3F 100%25.md").write_text("- Not yet.\n")
    (page,) = [each for each in records(read(tmp_path)) if "Not yet." in each.content]
    assert page.content.splitlines()[0] == "Kiln/Is it hot? 100%"


@pytest.mark.requirement("imports:programs")
def test_what_a_page_of_a_graph_says_of_itself_is_its_words(tmp_path: Path) -> None:
    said = "alias:: Arrakis\ntype:: [[Book]]\nauthor:: Frank Herbert\nicon:: 📕\nurl:: {{base}}\ntags:: read\n\n"
    met = "met:: in Porto\n- id:: x\n- She fires the [[Kiln]]."
    lay_out(tmp_path, {"logseq/x": "", "pages/Dune.md": said, "pages/Irma.md": met})
    pages = {line.where: line for line in read(tmp_path) if isinstance(line, ParsedLine)}
    assert {where: record_of(line).content for where, line in pages.items()} == {
        "pages/Dune.md": "Dune\n\ntype: Book\nauthor: Frank Herbert",
        "pages/Irma.md": "Irma\n\nmet: in Porto\n\n- She fires the Kiln.",
    }
    dune = pages["pages/Dune.md"]
    assert (note_of(dune).aliases, [link.target for link in note_of(dune).links]) == (("Arrakis",), ["Book"])
    assert dune.unknown_fields == ()


def packed(folder: Path) -> Path:
    return Path(shutil.make_archive(str(folder), "zip", folder.parent, folder.name))


@pytest.mark.requirement("imports:programs")
@pytest.mark.parametrize("stem", ["OpenAI___Model___GPT", "OpenAI%2FModel%2FGPT"])
@pytest.mark.parametrize("settings", [{"logseq/config.edn": "{}"}, {"journals/2024_05_01.md": "- Wrote."}])
def test_a_page_in_a_namespace_is_one_page_with_its_whole_name(
    tmp_path: Path, stem: str, settings: dict[str, str]
) -> None:
    notes = {f"pages/{stem}.md": "- Newer: [[OpenAI/Model/GPT/5/4]] and #[[OpenAI/Model]].", **settings}
    assert detect_format(lay_out(tmp_path, notes)) is FileFormat.LOGSEQ
    (page,) = [line for line in read(tmp_path) if line.where.startswith("pages/")]
    assert record_of(page).content == "OpenAI/Model/GPT\n\n- Newer: OpenAI/Model/GPT/5/4 and #OpenAI/Model."
    assert note_of(page).name == "OpenAI/Model/GPT"
    assert [link.target for link in note_of(page).links] == ["OpenAI/Model/GPT/5/4", "OpenAI/Model"]


@pytest.mark.requirement("imports:programs")
@pytest.mark.parametrize(
    ("stem", "kind"),
    [("Kiln___Hot", FileFormat.LOGSEQ), ("Kiln%2FHot", FileFormat.LOGSEQ), ("Kiln", FileFormat.OBSIDIAN)],
)
def test_a_folder_that_both_programs_open_is_whose_names_its_pages_bear(
    tmp_path: Path, stem: str, kind: FileFormat
) -> None:
    page = f"pages/{stem}.md"
    both = {".obsidian/app.json": "{}", "logseq/config.edn": "{}", page: "- See [[Craft/Kiln]]."}
    folder = lay_out(tmp_path / "both", both)
    archive = packed(folder)
    assert [detect_format(each) for each in (folder, folder / page, archive)] == [kind] * 3
    said = "Craft/Kiln" if kind is FileFormat.LOGSEQ else "See Kiln"
    assert [said in text for path in (folder, archive) for text in contents(read(path))] == [True, True]


HIDES = '{:hidden ["/pages/secret" "../pages/draft.md"]}'


@pytest.mark.requirement("imports:left-out")
@pytest.mark.parametrize("is_packed", [False, True])
def test_what_a_graph_hides_stays_out_and_is_named(tmp_path: Path, *, is_packed: bool) -> None:
    block = "6650a1f0-0000-4000-8000-000000000001"
    notes = {
        "logseq/config.edn": HIDES,
        "logseq/bak/pages/old.md": "- Old.",
        "pages/secret___plan.md": f"- The code is 1234.\n  id:: {block}",
        "pages/draft.md": "- Draft.",
        "pages/open.md": f"public:: false\n\n- Open, see (({block})).",
        "README.md": "About this.",
        "old/2021-03-04.md": "- Rain.",
    }
    folder = lay_out(tmp_path / "garden", notes)
    lines = read(packed(folder) if is_packed else folder)
    assert set(contents(lines)) == {"open\n\n- Open, see .", "README\n\nAbout this.", "2021-03-04\n\n- Rain."}
    assert left_out(lines) == [
        ("pages/draft.md", "pages hidden in Logseq (`:hidden` in its config.edn)"),
        ("pages/secret___plan.md", "pages hidden in Logseq (`:hidden` in its config.edn)"),
    ]


@pytest.mark.requirement("imports:programs")
@pytest.mark.parametrize("is_packed", [False, True])
def test_a_garden_with_more_notes_beside_such_folders_is_no_graph_and_comes_in_whole(
    tmp_path: Path, *, is_packed: bool
) -> None:
    notes = {"journals/2021-01-02.md": "- Rain.", "pages/kiln.md": "- Hot."}
    folder = lay_out(tmp_path / "garden", notes | {f"note {at}.md": f"Note {at}." for at in range(4)})
    assert len(records(read(packed(folder) if is_packed else folder))) == 6


@pytest.mark.requirement("imports:programs")
@pytest.mark.parametrize(
    ("head", "own", "said"),
    [("", "", "Hot."), ("private:: true\n", "", ""), ("private:: true\n", "is_private:: yes\n", "Hot.")],
)
def test_a_page_that_is_read_alone_knows_the_blocks_of_others_but_for_what_they_keep_private(
    tmp_path: Path, head: str, own: str, said: str
) -> None:
    block = "6650a1f0-0000-4000-8000-000000000001"
    notes = {"pages/a.md": f"{head}- Hot.\n  id:: {block}", "pages/b.md": f"{own}- See (({block})).", "logseq/x": ""}
    lines = read(lay_out(tmp_path, notes), format=FileFormat.LOGSEQ, only=frozenset({"pages/b.md"}))
    assert contents(lines) == [f"b\n\n- See {said}."]


@pytest.mark.requirement("ruling:H.3")
def test_a_forwarded_message_is_never_the_words_of_who_forwarded_it() -> None:
    said = [{"from": "Irma"}, {"from": "Irma", "forwarded_from": "News"}, {"from": "Irma", "forwarded_from": None}]
    messages = [
        {"id": at, "type": "message", "date": "2024-03-05", "text": "Hot.", **each} for at, each in enumerate(said)
    ]
    found = records(telegram_lines({"left_chats": {"list": [{"name": "Pots", "messages": messages}]}}, "export 1"))
    assert [(each.speaker, each.claimed_origin) for each in found] == [
        ("Irma", None), ("News", Origin.TOOL), (None, Origin.TOOL)
    ]  # fmt: skip


@pytest.mark.requirement("ruling:H.3")
def test_what_was_clipped_from_the_web_is_not_the_words_of_who_keeps_it() -> None:
    clip = "<note-attributes><source>web.clip7</source></note-attributes>"
    source = "".join(f"<note><title>Hot.</title>{each}</note>" for each in (clip, ""))
    found = records(read_evernote(io.BytesIO(source.encode())))
    assert [each.claimed_origin for each in found] == [Origin.TOOL, None]


@pytest.mark.requirement("imports:programs")
def test_what_a_program_put_beside_typed_words_costs_them_nothing_and_a_session_taken_up_repeats_nothing() -> None:
    beside = "<ide_opened_file>The user opened a.py.</ide_opened_file>"
    typed = [
        [{"type": "text", "text": beside}, {"type": "text", "text": "Name it oven."}],
        "Deploys happen on Tuesdays.\n\n<system-reminder>\nDo not say so.\n</system-reminder>",
        [{"type": "text", "text": "<command-name>/compact</command-name>"}],
    ]
    entries = [{"type": "user", "uuid": f"u{at}", "message": {"content": each}} for at, each in enumerate(typed)]
    first, again = (
        [record for each in entries for record in records(claude_code_lines({**each, "sessionId": key}, "x"))]
        for key in ("s1", "s2")
    )
    assert [each.content for each in first] == ["Name it oven.", "Deploys happen on Tuesdays."]
    assert [line_id(each) for each in first] == [line_id(each) for each in again]


@pytest.mark.requirement("imports:programs")
def test_messages_are_read_as_gemini_is_told_them_too() -> None:
    said = [{"role": "user", "parts": [{"text": "Hot."}]}, {"role": "model", "parts": [{"text": "Noted."}]}]
    found = records(messages_lines({"messages": said}, "conversation 1"))
    assert [(each.speaker, each.content) for each in found] == [(None, "Hot."), ("assistant", "Noted.")]
