"""Memory in and out: `remember`, `import`, `export`."""

import json
from pathlib import Path

import pytest

from cli_runner import Documented, Voice, failing
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.core.errors import EmbedderUnavailable

ROWS = """\
{"format":"inner-voice-memory/1"}
{"type":"entity","name":"Irma Kowalski","entity_type":"person","aliases":["Irma"]}
{"type":"thought","content":"The roofer wants 4,200 euros."}
{"type":"thought","content":
{"type":"observation","text":"Irma plays the Caro-Kann.","entities":["Irma"]}
"""


def rows_of(exported: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in exported.splitlines()[1:]]


@pytest.mark.requirement("ruling:H.3")
def test_what_is_remembered_here_is_the_persons_own_and_can_be_cited(
    voice: Voice, is_as_documented: Documented
) -> None:
    ran = voice.ok("remember", "Moved the kiln to the shed. The kiln fires at cone 6.", "--tag", "studio", "--json")
    is_as_documented("cli/remember", ran)
    exported = rows_of(voice.ok("export", "-").out)
    assert [row["type"] for row in exported] == ["thought", "observation", "observation"]
    assert {row["origin"] for row in exported} == {"human"}
    assert all(row["tags"] == ["studio"] for row in exported)


def test_a_thought_keeps_its_kind_thread_speaker_time_and_privacy(voice: Voice) -> None:
    told = ["--kind", "diary", "--thread", "house", "--speaker", "Irma", "--private", "--at", "2026-03-05T14:00"]
    ran = voice.ok("remember", "The roof leaks.", *told)
    row = rows_of(voice.ok("export", "-").out)[0]
    assert ran.out.startswith(f"{row['id']}  stored; answers can cite 1 sentence")
    assert (row["kind"], row["thread"], row["speaker"], row["is_private"]) == ("diary", "house", "Irma", True)
    assert row["created_at"] == "2026-03-05T14:00:00Z"


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("My kiln is blue. It weighs 80 kilos. I bought it in May.", [], "stored; answers can cite 3 sentences"),
        ("Why?", [], "no sentence that answers can cite"),
        ("The safe is behind the kiln.", ["--private"], "answers can cite 1 sentence, private\n"),
    ],
)
def test_what_answers_can_cite_of_a_thought_is_said(voice: Voice, text: str, options: list[str], said: str) -> None:
    assert said in voice.ok("remember", text, *options).out


@pytest.mark.parametrize("when", ["2025-07-14", "on 14 July 2025"])
def test_a_summers_day_begins_in_the_persons_own_zone(voice: Voice, when: str) -> None:
    voice.ok("remember", "Swam to the buoy.", "--at", when)
    assert rows_of(voice.ok("export", "-").out)[0]["created_at"] == "2025-07-13T23:00:00Z"


@pytest.mark.parametrize("arguments", [["remember"], ["remember", "-"]])
def test_a_thought_can_be_piped_in(voice: Voice, arguments: list[str]) -> None:
    voice.ok(*arguments, stdin="Der Ofen steht im Schuppen. 🔥\n".encode())
    assert "Der Ofen steht im Schuppen. 🔥" in voice.ok("export", "-").out


@pytest.mark.requirement("ruling:C17")
def test_a_broken_encoder_loses_nothing_and_a_later_pass_makes_good(
    voice: Voice, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    with monkeypatch.context() as ill:
        ill.setattr(HashedEmbedder, "embed", failing(EmbedderUnavailable("the encoder is ill")))
        said = voice.ok("remember", "Moved the kiln to the shed.").only_line
        assert "stored 2 records without a vector (the encoder is ill), so only their words can be searched" in said
        assert said.endswith("; once you have fixed that, run `voice maintain rebuild vectors`")
        assert voice("maintain", "rebuild", "vectors").code == 5
    assert "!" in voice.ok("doctor").out
    done = voice.ok("maintain", "rebuild", "vectors", "--json")
    is_as_documented("cli/maintain-reembed", done)
    assert done.json == {"embedded": 2, "waiting": 0}
    assert voice.ok("maintain", "rebuild", "vectors").out == "0 rows encoded, 0 still waiting\n"


@pytest.mark.requirement("ruling:C17")
def test_after_a_change_of_encoder_doctor_names_the_command_that_helps_and_it_does(
    voice: Voice, monkeypatch: pytest.MonkeyPatch, is_as_documented: Documented
) -> None:
    voice.ok("remember", "Moved the kiln to the shed.")
    monkeypatch.setattr(HashedEmbedder, "model", "another one")
    sick = voice("doctor")
    assert (sick.code, "run: voice maintain rebuild vectors" in " ".join(sick.out.split())) == (1, True)
    done = voice.ok("maintain", "rebuild", "vectors", "--json", "--limit", "1")
    is_as_documented("cli/maintain-reembed", done)
    assert done.json == {"embedded": 1, "waiting": 1}
    assert voice.ok("maintain", "rebuild", "vectors").out == "1 row encoded, 0 still waiting\n"
    voice.ok("doctor")


@pytest.mark.requirement("ruling:C17")
def test_embedding_anew_rests_between_portions_and_goes_on_where_it_was_stopped(
    voice: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped in the middle, what was done stays done: the next run embeds the rest and nothing twice."""
    voice.ok("remember", "Moved the kiln to the shed.")
    voice.ok("remember", "The blue glaze needs cobalt.")
    monkeypatch.setattr(HashedEmbedder, "model", "another one")
    monkeypatch.setattr("voice.entrypoints.cli.maintain._BATCH", 1)
    rested: list[float] = []

    async def rest(seconds: float) -> None:
        rested.append(seconds)
        if len(rested) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("anyio.sleep", rest)
    assert voice("maintain", "rebuild", "vectors", "--pause", "0.5").code != 0
    left = voice.ok("maintain", "rebuild", "vectors", "--pause", "0.5", "--json").json
    assert (left, rested) == ({"embedded": 2, "waiting": 0}, [0.5] * 3)
    voice.ok("doctor")


def test_an_import_stores_what_it_can_and_names_the_rest(
    voice: Voice, tmp_path: Path, is_as_documented: Documented
) -> None:
    file = tmp_path / "some rows.jsonl"
    file.write_text(ROWS, encoding="utf-8")
    ran = voice.ok("import", str(file), "--tag", "house", "--private", "--json")
    is_as_documented("cli/import", ran)
    assert "left out line 4: is not a JSON object" in ran.only_line
    assert voice.ok("kg", "list").out == ""
    assert voice.ok("import", str(file)).out == "3 already known\n"
    thought = next(row for row in rows_of(voice.ok("export", "-").out) if row["type"] == "thought")
    assert (thought["is_private"], thought["tags"]) == (True, ["house"])


def test_a_dry_run_counts_and_stores_nothing(voice: Voice, is_as_documented: Documented) -> None:
    ran = voice.ok("import", "-", "--dry-run", "--json", stdin=ROWS.encode())
    is_as_documented("cli/import", ran)
    assert ran.only_line.startswith("voice: left out line 4")
    assert rows_of(voice.ok("export", "-").out) == []


def test_of_many_bad_lines_twenty_are_listed_and_the_rest_counted(voice: Voice) -> None:
    lines = voice.ok("import", "-", stdin=ROWS.encode() + b"{}\n" * 30).err.splitlines()
    assert (len(lines), lines[-1]) == (21, "voice: left out 11 more; --json lists all of them")


def test_a_note_made_private_afterwards_is_no_longer_told_and_the_import_says_so(
    voice: Voice, tmp_path: Path, is_as_documented: Documented
) -> None:
    note = tmp_path / "gate.md"
    note.write_text("---\ndate: 2026-04-02\n---\nThe gate code is 8215.\n", encoding="utf-8")
    voice.ok("import", str(note))
    assert "8215" in voice.ok("ask", "What is the gate code?").out
    note.write_text("---\ndate: 2026-04-02\nprivate: yes\n---\nThe gate code is 8215.\n", encoding="utf-8")
    assert voice.ok("import", str(note)).out == "1 already known, 1 of them made private\n"
    refused = voice("ask", "--new", "the gate", "What is the gate code?")
    assert (refused.code, "8215" in refused.out + refused.err) == (3, False)
    assert "8215" in voice.ok("ask", "--private", "--new", "the gate again", "What is the gate code?").out
    told = voice.ok("import", str(note), "--tag", "keys", "--json")
    is_as_documented("cli/import", told)
    assert [told.json[count] for count in ("already_known", "made_private", "tagged")] == [1, 0, 1]


def test_other_peoples_words_wait_until_the_person_vouches_for_them(voice: Voice) -> None:
    line = b'{"type":"thought","content":"The roof leaks.","speaker":"Irma"}\n'
    assert voice.ok("import", "-", stdin=line).out == "1 thought\n"
    other = b'{"type":"thought","content":"The cellar is dry.","speaker":"Irma"}\n'
    assert voice.ok("import", "-", "--as", "logged", stdin=other).out == "1 thought, 1 observation\n"
    mine = b'{"type":"thought","content":"I painted the door.","speaker":"Irma"}\n'
    assert voice.ok("import", "-", "--me", "irma", stdin=mine).out.startswith("1 thought, 1 observation\n")


def test_an_export_is_not_overwritten_unless_asked_for(
    voice: Voice, tmp_path: Path, is_as_documented: Documented
) -> None:
    voice.ok("remember", "Moved the kiln to the shed.")
    file = tmp_path / "memory.jsonl"
    assert voice.ok("export", str(file)).out.startswith("2 rows, ")
    refused = voice("export", str(file))
    assert (refused.code, refused.out) == (2, "")
    assert ("already there" in refused.only_line, "--force" in refused.only_line) == (True, True)
    is_as_documented("cli/export", voice.ok("export", str(file), "--force", "--json"))
    assert file.stat().st_mode & 0o777 == 0o600


def test_an_export_to_a_pipe_says_what_it_was_on_stderr(voice: Voice) -> None:
    voice.ok("remember", "Moved the kiln to the shed.")
    assert voice.ok("export", "-").only_line.startswith("voice: 2 rows, ")
    assert voice("export", "-", "--json").code == 2
