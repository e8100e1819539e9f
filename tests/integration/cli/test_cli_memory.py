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
    ran = voice.ok("remember", "-", *told, stdin="Der Ofen leckt. 🔥\n".encode())
    exported = voice.ok("export", "-")
    assert exported.only_line.startswith("voice: 2 rows, ")
    assert voice("export", "-", "--json").code == 2
    row = rows_of(exported.out)[0]
    assert row["content"] == "Der Ofen leckt. 🔥\n"
    assert ran.out.startswith(f"{row['id']}  stored; answers can cite 1 sentence")
    assert (row["kind"], row["thread"], row["speaker"], row["is_private"]) == ("diary", "house", "Irma", True)
    assert row["created_at"] == "2026-03-05T14:00:00Z"
    assert "no sentence that answers can cite" in voice.ok("remember", "Why?", "--at", "on 14 July 2025").out
    assert "2025-07-13T23:00:00Z" in voice.ok("export", "-").out


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


def test_an_import_stores_what_it_can_and_names_the_rest(
    voice: Voice, tmp_path: Path, is_as_documented: Documented
) -> None:
    file = tmp_path / "some rows.jsonl"
    file.write_text(ROWS, encoding="utf-8")
    is_as_documented("cli/import", voice.ok("import", str(file), "--dry-run", "--json"))
    assert rows_of(voice.ok("export", "-").out) == []
    ran = voice.ok("import", str(file), "--tag", "house", "--private", "--json")
    is_as_documented("cli/import", ran)
    assert "left out line 4: is not a JSON object" in ran.only_line
    lines = voice.ok("import", "-", "--dry-run", stdin=ROWS.encode() + b"{}\n" * 30).err.splitlines()
    assert (len(lines), lines[-1]) == (21, "voice: left out 11 more; --json lists all of them")
    assert voice.ok("kg", "list").out == ""
    assert voice.ok("import", str(file)).out == "3 already known\n"
    assert "--force" in voice.refused("export", str(file))
    is_as_documented("cli/export", voice.ok("export", str(file), "--force", "--json"))
    assert file.stat().st_mode & 0o777 == 0o600
    thought = next(row for row in rows_of(voice.ok("export", "-").out) if row["type"] == "thought")
    assert (thought["is_private"], thought["tags"]) == (True, ["house"])


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
