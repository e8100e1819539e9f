"""Answers that the judge before `ladder-1` judged, in a store that its program wrote: read, audited and proven as they
were judged.

The archive is a data directory with a backup and the conversation as that program exported it; tools/lexical_store.py
made it.
"""

import json
import tarfile
from collections.abc import AsyncGenerator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from changed_rows import rewrite, row_that_says
from played_turns import ON_DISK, given, memory
from voice.adapters.embedding.hashed import HashedEmbedder
from voice.adapters.files.session_file import parse_session
from voice.adapters.system.clock_and_ids import FixedClock, SystemIds
from voice.bootstrap import Services
from voice.core.graph.removal.forget_cascade import ForgetRequest
from voice.core.grounding.values import LEXICAL_JUDGE
from voice.core.records import Observation, RowStatus
from voice.core.session.values import DialogueExchange
from voice.services.sessions.lookup import all_exchanges

pytestmark = pytest.mark.requirement("sessions:earlier-judge")
ARCHIVE = Path(__file__).resolve().parents[2] / "fixtures" / "judged" / "lexical-1.tar.xz"
NOW = datetime(2026, 11, 27, 9, 0, tzinfo=UTC)
GLAZE = "The blue glaze needs cobalt and two firings."
SHED = "Moved the kiln to the shed behind the house."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    place = tmp_path / "home"
    place.mkdir(mode=0o700)
    with tarfile.open(ARCHIVE) as packed:
        packed.extractall(place, filter="data")
    (place / "key").chmod(0o600)
    return tmp_path


@pytest.fixture
async def services(home: Path) -> AsyncGenerator[Services]:
    clock, ids = FixedClock(NOW), SystemIds(FixedClock(NOW))
    async with memory(home, settings=given(store=ON_DISK), clock=clock, ids=ids, embedder=HashedEmbedder()) as opened:
        yield opened


async def turns_of(services: Services) -> list[DialogueExchange]:
    (held,) = await services.sessions.sessions(limit=5)
    return await all_exchanges(services.sessions, held.id)


async def test_a_sentence_stands_where_it_was_judged_to_stand_and_names_its_judge(services: Services) -> None:
    turns = await turns_of(services)
    found = [[(each.rung, each.kind, each.judge, each.verifier) for each in turn.sentences] for turn in turns]
    told = ("verified", "claim", LEXICAL_JUDGE, LEXICAL_JUDGE)
    assert found[0] == [told]
    assert found[2] == [told, ("unsupported", "claim", LEXICAL_JUDGE, LEXICAL_JUDGE)]
    assert found[3] == [told, told, ("remark", "question", LEXICAL_JUDGE, None)]
    assert found[4][2][0] == "contradicted"
    assert (turns[2].answer, turns[4].status, turns[4].answer.count("1,420")) == (
        f"{GLAZE} It was bought from a dealer in Lyon.",
        "refused",
        0,
    )
    assert [turn.policy.support_threshold for turn in turns] == [1.65] * 8
    asked = turns[7].verification
    assert asked is not None
    assert (asked.verifier.label, asked.asked, asked.lapse) == (
        "llm scripted/scripted-1 verify.v2 6000caafa1c0",
        1,
        None,
    )


async def test_an_audit_tells_what_became_of_its_rows_and_not_what_today_would_judge(services: Services) -> None:
    assert (await services.audit()).is_grounded
    await rewrite(services, await row_that_says(services, GLAZE), text="The blue glaze needs copper.")
    row = await row_that_says(services, SHED)
    assert isinstance(row, Observation)
    await rewrite(services, row, status=RowStatus.REDACTED, text="[redacted]")
    report = await services.audit()
    statuses = {audit.index: [each.status for each in audit.sentences] for audit in report.exchanges}
    assert statuses[2] == ["source_changed"]
    assert statuses[0] == ["source_redacted"]
    assert statuses[7] == ["still_grounded", "source_redacted"]
    assert statuses[3] == ["still_grounded", "still_grounded"]


async def test_it_leaves_as_its_own_program_let_it_leave_byte_for_byte(services: Services, home: Path) -> None:
    left = await services.transcripts.export("the kiln", include_private=True)
    assert left.document.members() == json.loads((home / "home" / "kiln.json").read_bytes())


@pytest.mark.parametrize("name", ["kiln.json", "example.json"])
async def test_a_file_of_its_program_comes_in_and_leaves_again(name: str, home: Path, tmp_path: Path) -> None:
    path = home / "home" / name
    arrival = parse_session(path.read_bytes(), name)
    async with memory(tmp_path / "other", clock=FixedClock(NOW), ids=SystemIds(FixedClock(NOW))) as services:
        told = await services.transcripts.bring_in(str(path))
        turns = await all_exchanges(services.sessions, told.session_id)
        assert await services.transcripts.faults() == []
        left = await services.transcripts.export(told.session_id, include_private=True)
    assert [turn.sentences for turn in turns] == [turn.sentences for turn in arrival.exchanges]
    written = (tmp_path / "again.json", left.document.members())
    written[0].write_text(json.dumps(written[1]), encoding="utf-8")
    assert parse_session(written[0].read_bytes(), "again.json").exchanges[0].sentences == turns[0].sentences


async def test_what_is_forgotten_leaves_its_turns_and_the_chain_holds(services: Services) -> None:
    thought = await row_that_says(services, GLAZE)
    assert isinstance(thought, Observation)
    await services.forget(ForgetRequest(ids=frozenset(each.thought_id for each in thought.provenance)), "forget")
    turns = await turns_of(services)
    assert await services.transcripts.faults() == []
    assert [(each.text, each.rung, each.judge) for each in turns[2].sentences] == [
        ("", "verified", LEXICAL_JUDGE),
        ("", "unsupported", LEXICAL_JUDGE),
    ]
    assert "cobalt" not in repr(turns)
