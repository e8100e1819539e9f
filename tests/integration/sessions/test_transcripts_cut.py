"""A sentence that is cut of an answer leaves its number, its reasons and a keyed hash, and no word of it anywhere.

A conversation comes in that is here already, with more or fewer words of its private turns.
"""

import json
from pathlib import Path

import pytest

from played_turns import KILN, MOVED, ON_DISK, ask, given, memory, quoting, scripted, stored, tell
from told_telemetry import Told
from travelling_conversations import exported, full, kept, save
from voice.core.grounding.values import GroundingPolicy
from voice.core.render.answer_markdown import transcript_markdown
from voice.core.session.hash_chain import canonical_json, values_of
from voice.core.text.normalise import keyed_hash

FALSE = "Zebedee whispered that quicksilver ruins Marta in Ouagadougou."
WORDS = ("zebedee", "whispered", "quicksilver", "ruins", "ouagadougou")
POLICY = GroundingPolicy(min_sources=1, min_coverage=0.3)


@pytest.mark.requirement("ruling:D9")
async def test_no_word_of_a_cut_sentence_is_in_the_store_an_export_a_transcript_or_a_log(tmp_path: Path) -> None:
    told = Told()
    model = scripted(quoting(MOVED, answer=f"{MOVED} {FALSE}"))
    settings = given(store=ON_DISK, grounding=POLICY)
    async with memory(tmp_path, model, settings=settings, telemetry=told.telemetry()) as services:
        await tell(services, *KILN)
        turn = await ask(services, new_topic="the kiln")
        (kept,) = await stored(services)
        left = await services.transcripts.export("the kiln")
        key = services.transcripts.key
    assert kept.answer == turn.exchange.answer == MOVED
    assert [each.text for each in kept.sentences] == [MOVED]
    (cut,) = kept.cut
    assert (cut.rung, cut.kind, cut.digest) == ("unsupported", "claim", keyed_hash(key, FALSE))
    assert cut.reasons
    texts = {
        "turn": canonical_json(values_of(kept)),
        "export": json.dumps(left.document.members()),
        "transcript": transcript_markdown(left.session, left.exchanges, timezone="UTC"),
        "telemetry": told.everything(),
        **{str(path): path.read_bytes().decode("latin-1") for path in tmp_path.rglob("*") if path.is_file()},
    }
    found = [(place, word) for place, text in texts.items() for word in WORDS if word in text.casefold()]
    assert found == []
    assert len(texts) > 4


@pytest.mark.requirement("ruling:D9")
async def test_two_memories_keep_the_same_cut_sentence_under_different_hashes(tmp_path: Path) -> None:
    digests: set[str] = set()
    for name in ("one", "two"):
        model = scripted(quoting(MOVED, answer=f"{MOVED} {FALSE}"))
        async with memory(tmp_path / name, model, settings=given(grounding=POLICY)) as services:
            await tell(services, *KILN)
            digests.update(each.digest for each in (await ask(services)).exchange.cut)
    assert len(digests) == 2


@pytest.mark.requirement("sessions:portable")
async def test_a_file_that_tells_more_of_private_turns_says_so_and_brings_it_once_the_others_are_gone(
    tmp_path: Path,
) -> None:
    async with memory(tmp_path / "one") as here, memory(tmp_path / "two") as there:
        turns = [full(0, is_private=False), full(1, is_private=True), full(2, is_private=True)]
        session_id = await save(here, *turns)
        public = str(await exported(here, session_id, tmp_path / "public.json"))
        whole = str(await exported(here, session_id, tmp_path / "whole.json", include_private=True))
        first = await there.transcripts.bring_in(public)
        assert (first.added, first.fuller, first.undisclosed) == (3, 0, 2)
        more = await there.transcripts.bring_in(whole)
        assert (more.added, more.known, more.fuller, more.further) == (0, 3, 2, 0)
        assert (await there.transcripts.bring_in(public)).fuller == 0
        assert [each.my_query for each in (await kept(there, session_id))[1]][1:] == ["", ""]
        await there.life.delete(session_id)
        again = await there.transcripts.bring_in(whole)
        assert (again.added, again.fuller) == (3, 0)
        brought = (await kept(there, again.session_id))[1]
        assert [each.my_query for each in brought] == [each.my_query for each in turns]
        assert await there.transcripts.faults() == []
        assert (await there.transcripts.bring_in(public)).fuller == 0


@pytest.mark.requirement("sessions:portable")
async def test_turns_that_are_here_and_not_in_a_file_are_counted(tmp_path: Path) -> None:
    async with memory(tmp_path / "one") as here, memory(tmp_path / "two") as there:
        turns = [full(index, is_private=False) for index in range(3)]
        short = str(await exported(there, await save(there, *turns[:2]), tmp_path / "a.json"))
        await save(here, *turns)
        again = await here.transcripts.bring_in(short)
        assert (again.added, again.known, again.further) == (0, 2, 1)
