"""A sentence that is cut of an answer leaves its number, its reasons and a keyed hash, and no word of it anywhere."""

import json
from pathlib import Path

import pytest

from played_turns import KILN, MOVED, ON_DISK, ask, given, memory, quoting, scripted, stored
from told_telemetry import Told
from voice.core.grounding.values import GroundingPolicy
from voice.core.render.conversation import transcript_markdown
from voice.core.session.turn_traces import canonical_json, values_of
from voice.core.text.normalise import keyed_hash

pytestmark = pytest.mark.requirement("ruling:D9")
FALSE = "Zebedee whispered that quicksilver ruins Marta in Ouagadougou."
WORDS = ("zebedee", "whispered", "quicksilver", "ruins", "ouagadougou")
POLICY = GroundingPolicy(min_sources=1, min_coverage=0.3)


async def test_no_word_of_a_cut_sentence_is_in_the_store_an_export_a_transcript_or_a_log(tmp_path: Path) -> None:
    told = Told()
    model = scripted(quoting(MOVED, answer=f"{MOVED} {FALSE}"))
    settings = given(store=ON_DISK, grounding=POLICY)
    async with memory(tmp_path, model, settings=settings, telemetry=told.telemetry(), told=KILN) as services:
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
