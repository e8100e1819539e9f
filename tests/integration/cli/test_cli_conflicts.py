"""`voice conflicts`: what cannot both hold, and what becomes of it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import cast

import pytest

from cli_runner import Ran, Voice
from tables import tables

TABLES = tables(__file__)

pytestmark = pytest.mark.requirement("conflicts:command")
Documented = Callable[[str, Ran], None]
HOT, HOTTER = "The kiln fires at 1200 degrees.", "The kiln fires at 1250 degrees."


@pytest.fixture
def studio(voice: Voice, tmp_path: Path) -> Voice:
    """A memory with notes of which two pairs cannot both hold, and a journal that is of its days."""
    folder = tmp_path / "studio"
    for name, text in {
        "Kiln.md": f"# Kiln\n\n{HOT}\n",
        "Shed.md": f"# Shed\n\n{HOTTER} The door is green.\n",
        "People.md": "---\ndate: 2026-05-01\n---\nAnna Lund lives in Porto.\n",
        "Letters.md": "---\ndate: 2024-02-01\n---\nAnna Lund lives in Lisbon.\n",
        "2026-03-01.md": "The river stood at 3 metres by the old mill.\n",
        "2026-03-02.md": "The river stood at 4 metres by the old mill.\n",
    }.items():
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    voice.ok("import", str(folder))
    return voice


def pairs(ran: Ran) -> list[Mapping[str, object]]:
    return cast("list[Mapping[str, object]]", cast("Mapping[str, object]", ran.json)["conflicts"])


def said(pair: Mapping[str, object]) -> list[str]:
    return [str(side["said"]) for side in cast("list[Mapping[str, object]]", pair["sides"])]


def test_pairs_are_listed_with_dates_and_places(studio: Voice, is_as_documented: Documented) -> None:
    ran = studio.ok("conflicts", "--json")
    is_as_documented("cli/conflicts", ran)
    assert [(each["difference"], each["is_change"]) for each in pairs(ran)] == [("number", False), ("name", True)]
    shown = studio.ok("conflicts", "--no-review").out
    assert "they differ in a number" in shown
    assert "1  undated  Kiln.md:3" in shown
    assert "the later statement may have ended the earlier one" in shown
    assert "1  2024-02-01  Letters.md:4" in shown
    assert "2  2026-05-01  People.md:4" in shown
    assert "river" not in shown


def test_pairs_are_about_something_and_since_a_time(studio: Voice) -> None:
    studio.ok("kg", "add", "entity", "Anna Lund")
    assert [said(each)[1] for each in pairs(studio.ok("conflicts", "--about", "Anna Lund", "--json"))] == [
        "Anna Lund lives in Porto."
    ]
    assert [said(each) for each in pairs(studio.ok("conflicts", "--about", "kiln degrees", "--json"))] == [
        [HOT, HOTTER]
    ]
    about_row = cast("list[Mapping[str, object]]", pairs(studio.ok("conflicts", "--json"))[0]["sides"])[0]["id"]
    assert len(pairs(studio.ok("conflicts", "--about", str(about_row), "--json"))) == 1
    assert len(pairs(studio.ok("conflicts", "--since", "2026-04-01", "--json"))) == 1
    assert pairs(studio.ok("conflicts", "--since", "2026-06-01", "--json")) == []
    few = studio.ok("conflicts", "--limit", "1")
    assert "1 more" in few.err
    nothing, unseen = studio.ok("conflicts", "--about", "zither").err.splitlines()
    assert nothing.startswith("voice: no conflicts found; compared 6 entries for the same words")
    assert "conflicts in other words are not compared; --verify" in unseen


def test_what_is_listed_waits_for_review_unless_told_otherwise(studio: Voice) -> None:
    studio.ok("conflicts", "--no-review")
    assert pairs(studio.ok("conflicts", "--waiting", "--json")) == []
    first = cast("Mapping[str, object]", studio.ok("conflicts", "--json").json)
    again = cast("Mapping[str, object]", studio.ok("conflicts", "--json").json)
    assert (first["put_up"], again["put_up"]) == (2, 0)
    assert len(pairs(studio.ok("conflicts", "--waiting", "--json"))) == 2


@pytest.mark.requirement("conflicts:settle")
def test_one_side_is_right_and_the_other_says_so_from_then_on(studio: Voice, is_as_documented: Documented) -> None:
    pair = str(pairs(studio.ok("conflicts", "--about", "kiln", "--json"))[0]["id"])
    would = studio.ok("conflicts", pair[:10], "--correct", "1", "--dry-run")
    assert f"would be corrected: {HOTTER}\n    becomes: {HOT}\n" in would.out
    is_as_documented("cli/conflicts-resolved", studio.ok("conflicts", pair, "--correct", "1", "--dry-run", "--json"))
    assert len(pairs(studio.ok("conflicts", "--about", "kiln", "--json"))) == 1
    is_as_documented("cli/conflicts-resolved", studio.ok("conflicts", pair, "--correct", "1", "--yes", "--json"))
    assert pairs(studio.ok("conflicts", "--about", "kiln", "--json")) == []
    assert pair not in {each["id"] for each in pairs(studio.ok("conflicts", "--waiting", "--json"))}
    found = studio.ok("retrieve", "How hot does the kiln fire?", "--lexical-only").out
    assert f"{HOT} The door is green." in found, "the other sentences of the entry stay"


@pytest.mark.requirement("conflicts:settle")
def test_one_side_has_ended(studio: Voice) -> None:
    pair = pairs(studio.ok("conflicts", "--about", "Anna", "--json"))[0]
    old = str(cast("list[Mapping[str, object]]", pair["sides"])[0]["id"])
    done = studio.ok("conflicts", str(pair["id"]), "--end", old, "--yes")
    assert "ended: Anna Lund lives in Lisbon." in done.out
    assert pairs(studio.ok("conflicts", "--about", "Anna", "--json")) == []
    pair = pairs(studio.ok("conflicts", "--about", "kiln", "--json"))[0]
    would = studio.ok("conflicts", str(pair["id"]), "--end", "2", "--on", "2026-11-01", "--dry-run")
    assert "1 other sentence of the same entry would also end" in would.out


@pytest.mark.requirement("answers:current")
def test_what_has_ended_is_no_part_of_an_answer(voice: Voice, tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "a.md").write_text("Lene lives in Vestby. The spare key hangs behind the red door.\n")
    (tmp_path / "people" / "b.md").write_text("Lene lives in Ekholm. She likes it there.\n")
    voice.ok("import", str(tmp_path / "people"))
    (pair,) = pairs(voice.ok("conflicts", "--json"))
    voice.ok("conflicts", str(pair["id"]), "--end", "1", "--on", "2026-01-01", "--yes")
    answer = voice.ok("ask", "Where does Lene live?").out
    assert answer.startswith("b: Lene lives in Ekholm.")
    assert "spare key" not in answer
    assert "left out" not in answer


@pytest.mark.requirement("conflicts:settle")
def test_a_pair_that_both_hold_is_not_shown_again(studio: Voice, is_as_documented: Documented) -> None:
    pair = str(pairs(studio.ok("conflicts", "--about", "kiln", "--json"))[0]["id"])
    is_as_documented("cli/conflicts-resolved", studio.ok("conflicts", pair, "--both", "--json"))
    after = studio.ok("conflicts", "--about", "kiln")
    assert after.out == ""
    assert "1 pair not shown, because you said that both are true" in after.err
    assert "there is no conflict" in studio("conflicts", pair, "--both").only_line


@pytest.mark.requirement("conflicts:settle")
def test_a_pair_that_both_hold_stays_settled_when_its_note_is_edited_beside_it(voice: Voice, tmp_path: Path) -> None:
    folder = tmp_path / "studio"
    folder.mkdir()
    (folder / "Kiln.md").write_text(f"# Kiln\n\n{HOT}\n", encoding="utf-8")
    (folder / "Shed.md").write_text(f"# Shed\n\n{HOTTER}\n", encoding="utf-8")
    voice.ok("sync", str(folder))
    pair = str(pairs(voice.ok("conflicts", "--json"))[0]["id"])
    voice.ok("conflicts", pair, "--both")
    (folder / "Kiln.md").write_text(f"# Kiln\n\nIt is old by now.\n\n{HOT}\n", encoding="utf-8")
    voice.ok("sync", str(folder))
    assert pairs(voice.ok("conflicts", "--json")) == []
    (folder / "Kiln.md").write_text("# Kiln\n\nThe kiln fires at 1300 degrees.\n", encoding="utf-8")
    voice.ok("sync", str(folder))
    assert len(pairs(voice.ok("conflicts", "--json"))) == 1, "other words are another pair"


@pytest.mark.requirement("conflicts:settle")
def test_what_changes_a_row_is_confirmed(studio: Voice) -> None:
    pair = str(pairs(studio.ok("conflicts", "--about", "kiln", "--json"))[0]["id"])
    ran = studio("conflicts", pair, "--correct", "1")
    assert (ran.code, "confirm with --yes" in ran.err) == (2, True)
    assert "would be corrected" in ran.err
    assert len(pairs(studio.ok("conflicts", "--about", "kiln", "--json"))) == 1


@pytest.mark.parametrize("arguments", TABLES["what_cannot_be_meant_is_refused"])
def test_what_cannot_be_meant_is_refused(voice: Voice, arguments: list[str]) -> None:
    assert voice("conflicts", *arguments).code == 2


@pytest.mark.requirement("conflicts:settle")
def test_a_side_that_is_none_is_refused(studio: Voice) -> None:
    pair = str(pairs(studio.ok("conflicts", "--about", "kiln", "--json"))[0]["id"])
    assert "choose one of the two sides" in studio("conflicts", pair, "--correct", "3", "--yes").only_line


@pytest.mark.requirement("conflicts:settle")
def test_of_two_sentences_of_one_entry_the_wrong_one_goes(voice: Voice, tmp_path: Path) -> None:
    (folder := tmp_path / "notes").mkdir()
    (folder / "Notes.md").write_text(f"Notes:\n- {HOT}\n- green door\n- {HOTTER}\n", encoding="utf-8")
    voice.ok("import", str(folder))
    (found,) = pairs(voice.ok("conflicts", "--json"))
    sides, pair = cast("list[Mapping[str, Mapping[str, object]]]", found["sides"]), str(found["id"])
    assert [each["location"]["label"] for each in sides] == ["Notes.md:2", "Notes.md:4"]
    assert "ending it would end both" in voice("conflicts", pair, "--end", "1", "--yes").only_line
    voice.ok("conflicts", pair, "--correct", "2", "--yes")
    assert pairs(voice.ok("conflicts", "--json")) == []
    assert HOTTER in voice.ok("retrieve", "door kiln", "--lexical-only").out


@pytest.mark.requirement("conflicts:settle", "conflicts:found")
def test_an_edge_that_is_wrong_is_replaced_by_the_one_that_is_right(voice: Voice) -> None:
    for name in ("Anna", "Porto", "Lisbon"):
        voice.ok("kg", "add", "entity", name)
    right = voice.ok("kg", "add", "relation", "Anna", "lives_in", "Porto").out.strip()
    wrong = voice.ok("kg", "add", "relation", "Anna", "lives_in", "Lisbon").out.strip()
    pair = pairs(voice.ok("conflicts", "--json"))[0]
    assert pair["difference"] == "edge"
    voice.ok("conflicts", str(pair["id"]), "--correct", right, "--dry-run")
    done = voice.ok("conflicts", str(pair["id"]), "--correct", right, "--yes")
    assert done.out.startswith(f"{wrong}  corrected")
    shown = voice.ok("kg", "show", "Anna").out
    assert f"→ {right}" in shown
    assert pairs(voice.ok("conflicts", "--json")) == []


@pytest.mark.requirement("conflicts:private")
def test_private_notes_are_compared_where_they_are_asked_for_alone(voice: Voice) -> None:
    voice.ok("remember", HOT)
    voice.ok("remember", HOTTER, "--private")
    assert pairs(voice.ok("conflicts", "--json")) == []
    (pair,) = pairs(voice.ok("conflicts", "--private", "--json"))
    assert pairs(voice.ok("conflicts", "--waiting", "--json")) == []
    assert voice("conflicts", str(pair["id"]), "--both").code == 2
    voice.ok("conflicts", str(pair["id"]), "--both", "--private")


@pytest.mark.requirement("conflicts:kept")
@pytest.mark.parametrize("command", ["forget", "redact"])
def test_what_was_said_of_a_pair_goes_with_either_of_its_rows(voice: Voice, command: str, tmp_path: Path) -> None:
    old = voice.ok("remember", HOT).out.split()[0]
    voice.ok("remember", HOTTER)
    pair = str(pairs(voice.ok("conflicts", "--json"))[0]["id"])
    voice.ok("conflicts", pair, "--both")
    before = tmp_path / "before.jsonl"
    voice.ok("maintain", "backup", str(before))
    assert '"kind":"conflicts"' in before.read_text("utf-8")
    voice.ok(command, "--id", old, "--yes")
    kept = tmp_path / "backup.jsonl"
    voice.ok("maintain", "backup", str(kept))
    assert '"kind":"conflicts"' not in kept.read_text("utf-8")
