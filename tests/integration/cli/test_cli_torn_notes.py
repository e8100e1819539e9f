"""`maintain verify` and `doctor` tell of notes that a killed command stored in part, and put them right."""

from datetime import UTC, datetime

import pytest

from cli_runner import SOUND, Documented, Voice
from voice.bootstrap import Services
from voice.core.graph.thoughts.distillation import distil
from voice.core.records import Origin, Thought

NOW = datetime(2026, 3, 5, tzinfo=UTC)
BOWLS = " ".join(f"On day number {n} I fired bowl {n} in the kiln." for n in range(4))
NOTE = Thought(id="t:cut", content=BOWLS, created_at=NOW, recorded_at=NOW, origin=Origin.HUMAN)
HALF = "t:cut: a killed command stored this note in part (3 rows); "
OWN = "2 sentences said nowhere else become a note of their own"


@pytest.fixture
def torn(voice: Voice) -> Voice:
    """A memory that holds three sentences of a note that is not there, and one of them in a note that is."""
    voice.ok("remember", "On day number 1 I fired bowl 1 in the kiln.")

    async def cut_off(services: Services) -> None:
        await services.ingest.save(distil(NOTE)[:3], names=await services.ingest.names.known())

    voice.within(cut_off)
    return voice


@pytest.mark.requirement("ruling:I8")
def test_a_half_stored_note_is_told_put_right_and_said_to_be(torn: Voice, is_as_documented: Documented) -> None:
    told = torn("maintain", "verify")
    assert (told.code, told.out) == (1, f"{HALF}{OWN}\n")
    assert "no text is lost; repair it with: voice maintain verify --mend" in told.err
    as_json = torn("maintain", "verify", "--json")
    is_as_documented("cli/maintain-verify", as_json)
    assert as_json.json["torn"][0]["becoming_a_note"] == 2
    assert "a killed command stored only a part of some notes: 3 rows" in torn("doctor").out
    mended = torn.ok("maintain", "verify", "--mend")
    assert (mended.out, f"{HALF}{OWN}; repaired" in mended.err) == (SOUND, True)
    torn.verify()
    assert "every note is complete" in torn.ok("doctor").out
    assert "On day number 2 I fired bowl 2 in the kiln." in torn.ok("retrieve", "day number 2 bowl").out
