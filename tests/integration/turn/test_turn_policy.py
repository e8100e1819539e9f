"""What is grounded enough: one value, by stance, kept with each turn; and nothing of what it refused anywhere."""

import io
import json
import re
import tempfile
from contextlib import redirect_stderr
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from hypothesis import given as drawn
from hypothesis import settings as profile
from hypothesis import strategies as st
from rich.console import Console

from played_turns import KILN, MOVED, WHERE, ask, given, grounded, memory, scripted, wire
from voice.adapters.disk.values_json import to_json, to_text
from voice.core.grounding.values import GroundingPolicy, PolicyOverrides, RefusalReason, Stance
from voice.core.render.answer import render_markdown, render_plain
from voice.core.render.turn_json import exchange_json, nlq_json
from voice.core.session.exchange import figures_of
from voice.core.session.values import DialogueExchange
from voice.core.settings.values import PrivacySettings, Settings
from voice.entrypoints.cli.show.turn import show_exchange

STRICT = replace(
    Settings(),
    grounding=GroundingPolicy(min_sources=1, min_coverage=0.5),
    challenge=PolicyOverrides(min_sources=3),
    question=PolicyOverrides(min_coverage=0.9, on_unsupported="cut", single_source="green"),
)


@pytest.mark.requirement("ruling:A4", "ruling:D3")
async def test_each_stance_has_its_own_policy_and_every_turn_keeps_the_one_it_was_judged_by(tmp_path: Path) -> None:
    settings = given(grounding=STRICT.grounding, challenge=STRICT.challenge, question=STRICT.question)
    async with memory(tmp_path, grounded(), settings=settings, told=KILN) as services:
        kept = {stance: (await ask(services, stance=stance)).exchange for stance in Stance}
    assert kept[Stance.SYNTHESIZE].policy == STRICT.grounding
    assert kept[Stance.CHALLENGE].policy == replace(STRICT.grounding, min_sources=3)
    assert kept[Stance.QUESTION].policy == replace(
        STRICT.grounding,
        min_coverage=0.9,
        on_unsupported="cut",
        single_source="green",
        single_source_of=Stance.QUESTION,
    )
    assert kept[Stance.SYNTHESIZE].status == "answered"
    assert kept[Stance.CHALLENGE].reason is RefusalReason.TOO_FEW_SOURCES
    assert kept[Stance.CHALLENGE].notes == (
        "only 2 distinct sources support the answer, and your settings require 3; add another note that says it, or "
        "lower SURR_INNER_VOICE_MIN_SOURCES"
    )
    assert kept[Stance.CHALLENGE].evidence_found


SECRET = st.text("bcdfghjklmnpqrstvwxz", min_size=6, max_size=10)
"""Words that no question, memory or program of ours holds."""


@st.composite
def rejected_drafts(draw: st.DrawFn) -> str:
    """Return a reply that no policy accepts, with words of its own in every place that a reply has."""
    word = draw(st.lists(SECRET, min_size=12, max_size=12, unique=True))
    answer = draw(
        st.sampled_from(
            (
                f"{MOVED} Then {word[0].title()} {word[1]} the {word[2]}.",
                f"The {word[0]} moved to {word[1].title()}. [S1] [{word[2]}]",
                f"Why did {word[0].title()} never {word[1]} 41 {word[2]}?",
                f"“{word[0]} {word[1]} {word[2]} {word[3]}”, said {word[4].title()}.",
                f"The kiln did not move to the shed behind the {word[0]}, {word[1]} {word[2]}.",
            )
        )
    )
    quote = draw(st.sampled_from((f"{word[5]} {word[6]}", f"{MOVED[:20]} {word[5]}", "The kiln")))
    source = draw(st.sampled_from(("S1", f"S{word[7]}", word[7])))
    whole = wire(answer, (source, quote), notes=word[8], confidence=word[9], **{word[10]: word[11]})
    return draw(
        st.sampled_from(
            (
                whole,
                whole[:-1],
                f"{word[0]} {word[1]}",
                wire(answer, (source, quote), refused=True, notes=f"{word[8]} {word[9]}"),
                json.dumps({"answer": [word[0]], "sources": word[1]}),
            )
        )
    )


def words_of(text: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[^\W\d_]{3,}", text)}


async def everything_left_of(drafts: list[str]) -> list[tuple[str, DialogueExchange, str]]:
    """Ask once for each draft; return it with its turn and with everything that was kept, printed or logged of it."""
    left: list[tuple[str, DialogueExchange, str]] = []
    with tempfile.TemporaryDirectory() as home:
        settings = given(grounding=GroundingPolicy(on_unsupported="refuse"), privacy=PrivacySettings(log_level="debug"))
        for draft in drafts:
            logged = io.StringIO()
            with redirect_stderr(logged):
                async with memory(
                    Path(home) / str(len(left)), scripted(draft), settings=settings, told=KILN
                ) as services:
                    await ask(services)
                    (kept,) = await services.sessions.exchanges()
            left.append((draft, kept, f"{forms_of(kept)} {logged.getvalue()}"))
    return left


def forms_of(exchange: DialogueExchange) -> str:
    """Return the turn as it is stored, and in every form in which it is printed or measured."""
    shown = io.StringIO()
    show_exchange(exchange, Console(file=shown, width=100))
    forms = (
        to_text(to_json(DialogueExchange, exchange)),
        repr(exchange),
        json.dumps(exchange_json(exchange)),
        json.dumps(nlq_json(exchange)),
        json.dumps(figures_of(exchange)),
        render_markdown(exchange),
        render_plain(exchange, str),
        shown.getvalue(),
    )
    return "\n".join(forms)


@pytest.mark.requirement("ruling:D9", "promise:6")
@profile(max_examples=5, deadline=None)
@drawn(st.lists(rejected_drafts(), min_size=2, max_size=2))
def test_no_word_of_a_rejected_draft_is_stored_printed_logged_or_measured(drafts: list[str]) -> None:
    for draft, exchange, left in anyio.run(everything_left_of, drafts):
        assert exchange.refused
        own = words_of(draft) - words_of(" ".join((*KILN, WHERE)))
        secret = {word for word in own if not set(word) & set("aeiouy")}
        assert len(secret) >= 2
        assert not secret & words_of(left)
