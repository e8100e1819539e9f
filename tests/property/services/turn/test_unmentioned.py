"""Whatever a refusal states of the memory is literally true of the index, over random memories."""

import re
from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from played_turns import ask, memory, tell
from played_turns import given as settings_of
from voice.adapters.llm.scripted import ExtractiveClient
from voice.core.grounding.values import GroundingPolicy, RefusalReason, Stance
from voice.core.session.values import DialogueExchange
from voice.core.text.words import words
from words_reranker import WordsReranker

pytestmark = pytest.mark.requirement("answers:refusals")
THINGS = ("zither", "trebuchet", "samovar", "quern", "astrolabe", "Vasquez", "Thorwald", "clavichord")
PLACES = ("larder", "boathouse", "belfry", "scullery")
FORMS = (
    "Where did I leave the {0} and the {1}?",
    "Who repaired the {0} of {1}?",
    "How many times did I polish the {0} with {1}?",
    "What do I know about the {0} and {1}?",
    "What is the difference between the {0} and the {1}?",
    "Which {0}s belong to the {1}?",
    "The {0} is heavier than the {1}.",
)
SAID = re.compile(r"no note I searched mentions (“[^”]+”(?: or “[^”]+”)*)")
SEEN = ("seen", "private", "marked")
notes = st.lists(
    st.tuples(st.sampled_from(THINGS), st.sampled_from(THINGS), st.sampled_from(PLACES), st.sampled_from(SEEN)),
    max_size=5,
)


def note_of(one: str, other: str, place: str) -> str:
    return f"Carried the {one} behind {other} to the {place}."


async def refused(
    home: Path, told: Sequence[tuple[str, str, str, str]], question: str, stance: Stance
) -> DialogueExchange:
    one = settings_of(grounding=GroundingPolicy(single_source="green"))
    async with memory(home, ExtractiveClient(), settings=one, reranker=WordsReranker()) as services:
        for first, second, place, seen in told:
            ids = await tell(services, note_of(first, second, place), is_private=seen == "private")
            if seen == "marked":
                await services.archiving.removals.mark(ids)
        return (await ask(services, question, stance=stance)).exchange


def named_in(notes: str | None) -> set[str]:
    found = SAID.search(notes or "")
    return set(re.findall(r"“([^”]+)”", found[1])) if found else set()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(told=notes, asked=st.sampled_from(FORMS), one=st.sampled_from(THINGS), other=st.sampled_from(THINGS),
       stance=st.sampled_from((Stance.SYNTHESIZE, Stance.CHALLENGE)))  # fmt: skip
def test_no_note_is_said_to_mention_a_word_exactly_where_none_does(
    told: list[tuple[str, str, str, str]], asked: str, one: str, other: str, stance: Stance, tmp_path: Path
) -> None:
    question = asked.format(one, other)
    exchange = anyio.run(refused, tmp_path, told, question, stance)
    held = {word.key for *said, seen in told if seen == "seen" for word in words(note_of(*said))}
    named = named_in(exchange.notes)
    assert all(word.casefold() not in held for word in named), exchange.notes
    if exchange.reason is RefusalReason.NO_SOURCES:
        lacking = {word for word in (one, other) if word.casefold() not in held}
        assert lacking <= {name.removesuffix("s") if f"{one}s" == name else name for name in named} or len(named) == 3


async def test_a_refusal_names_what_no_note_mentions_and_nothing_that_one_does(tmp_path: Path) -> None:
    told = [("zither", "Thorwald", "larder", "seen")]
    exchange = await refused(tmp_path, told, "Where is the zither that Vasquez tuned?", Stance.SYNTHESIZE)
    assert exchange.notes is not None
    assert exchange.notes.startswith("no note I searched mentions “Vasquez” or “tuned”; ")
