"""What a person sees in a terminal."""

import sys
from dataclasses import replace

import click
import pytest

from cli_runner import Terminal, on_paper
from store_values import citation, exchange
from voice.core.grounding.values import Receipt, SentenceVerdict
from voice.core.session.values import DialogueExchange
from voice.entrypoints.cli.show.turn import show_exchange
from voice.entrypoints.cli.terminal import runtime

HOSTILE = "Moved\x1b]0;owned\x07 the kiln\x1b[2J to\u202e the shed. [bold]not markup[/bold]"


def shown(turn: DialogueExchange) -> str:
    return on_paper(lambda paper: show_exchange(turn, paper), width=120)


def sentence(text: str) -> SentenceVerdict:
    return SentenceVerdict(
        start=0,
        end=len(text),
        text=text,
        kind="claim",
        rung="unsupported",
        receipts=(Receipt(row_id="o:1", content_hash="h", start=0, end=4),),
        reasons=("the source says 14",),
        flags=("number",),
    )


@pytest.mark.requirement("ruling:D22")
def test_what_a_memory_says_never_steers_the_terminal() -> None:
    turn = exchange(sources=(replace(citation(), span=HOSTILE),), sentences=(sentence(HOSTILE),))
    for each in (turn, replace(turn, refused=True, notes=HOSTILE, evidence_found=turn.sources)):
        said = shown(each)
        assert not set(said) & set("\x1b\x07\u202e")
        assert "[bold]not markup[/bold]" in said


def test_a_terminal_without_a_text_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("typed"))
    with pytest.raises(click.UsageError, match="type your question, or pipe it in"):
        runtime.stdin_text(None, what="your question")
