"""What other programs wrote comes in once, in pieces, and as the dry run before it said."""

import json
from pathlib import Path

import pytest

from played_turns import NOW, all_rows, rows_of
from synced_folders import bring_in, foresee, write
from voice.bootstrap import Services
from voice.core.records import Observation, Origin, Thought, Tombstone
from voice.ports.stores import WriteBatch


def export(path: Path, turns: int) -> Path:
    """Write a conversation of Claude with so many turns."""
    messages = [
        {
            "uuid": str(n),
            "sender": "assistant" if n % 2 else "human",
            "text": f"The kiln reached {n} degrees on day {n}.",
            "created_at": f"2025-03-{n + 1:02}T10:00:00Z",
        }
        for n in range(turns)
    ]
    path.write_text(json.dumps([{"uuid": "c1", "chat_messages": messages}]), encoding="utf-8")
    return path


def mails(path: Path, count: int) -> Path:
    """Write so many mails to others."""
    with path.open("w", encoding="utf-8") as box:
        for n in range(count):
            box.write(f"From x Sat Mar 01 09:00:00 2025\nFrom: Irma <irma@x.de>\nMessage-ID: <{n}@x>\n")
            box.write(f"Date: Sat, 1 Mar 2025 09:00:00 +0000\n\nThe kiln reached {n} degrees.\n\n")
    return path


@pytest.mark.requirement("imports:once", "imports:chats", "imports:foreseen")
async def test_a_longer_export_adds_what_is_new_and_the_dry_run_said_so(services: Services, tmp_path: Path) -> None:
    before = await foresee(services, export(tmp_path / "c.json", 4))
    assert await all_rows(services) == []
    first = await bring_in(services, tmp_path / "c.json")
    told = await foresee(services, export(tmp_path / "c.json", 7))
    longer = await bring_in(services, tmp_path / "c.json")
    again = await bring_in(services, tmp_path / "c.json")
    after = await foresee(services, tmp_path / "c.json")
    assert before.preview.thoughts == len(first.ingested.stored) == 4
    assert (told.preview.thoughts, told.already_known) == (3, 4)
    assert (len(longer.ingested.stored), longer.ingested.already_known) == (3, 4)
    assert (len(again.ingested.stored), again.ingested.already_known) == (0, 7)
    assert (after.preview.thoughts, after.preview.earliest) == (0, None)
    assert told.preview.earliest is not None
    assert (told.preview.earliest.day, told.preview.first_lines[0]) == (5, "The kiln reached 4 degrees on day 4.")
    origins = [row.origin for row in await rows_of(services, Thought)]
    assert (set(origins[::2]), set(origins[1::2])) == ({Origin.HUMAN}, {Origin.MODEL})
    assert all(int(row.text.split()[3]) % 2 == 0 for row in await rows_of(services, Observation))


@pytest.mark.requirement("imports:streamed")
async def test_what_was_read_before_a_file_breaks_off_is_stored_and_the_break_is_named(
    services: Services, tmp_path: Path
) -> None:
    whole = export(tmp_path / "c.json", 3).read_text(encoding="utf-8")
    (tmp_path / "c.json").write_text(f"{whole[:-1]}, {whole[1:60]}", encoding="utf-8")
    report = await bring_in(services, tmp_path / "c.json")
    assert len(report.ingested.stored) == 3
    assert [(line.where, line.reason[:10]) for line in report.bad] == [("conversation 2", "is cut off")]


@pytest.mark.requirement("imports:vault", "imports:once", "ruling:H.7")
async def test_links_of_a_vault_are_offered_and_those_of_a_forgotten_note_are_not(
    services: Services, tmp_path: Path
) -> None:
    notes = {"Irma.md": "---\naliases: Irmchen\n---\nFires the [[Kiln]].", "Kiln.md": "Bought from [[Paul]]."}
    vault = write(tmp_path / "vault", {".obsidian/app.json": "{}", **notes})
    told = await foresee(services, vault)
    first = await bring_in(services, vault)
    (irma,) = [row for row in await rows_of(services, Thought) if "Irma" in row.content]
    again = await bring_in(services, vault)
    grave = Tombstone(row_id=irma.id, keyed_hash="k" * 64, reason="forgotten", at=NOW)
    await services.store.write(WriteBatch(tombstones=(grave,)))
    later = await bring_in(services, vault)
    assert told.links == len(first.offers.relations) == 2
    assert [(each.source, each.target) for each in first.offers.relations] == [("Irma", "Kiln"), ("Kiln", "Paul")]
    (span,) = first.offers.relations[0].mentions
    assert irma.content[span.start : span.end] == "Kiln"
    assert [each.aliases for each in first.offers.entities] == [("Irmchen",)]
    assert (again.ingested.already_known, again.offers) == (2, first.offers)
    assert (later.ingested.forgotten, [each.source for each in later.offers.relations]) == (1, ["Kiln"])
