"""What a person sees in a terminal."""

import io
import sys
import time
from dataclasses import replace

import click
import pytest
from rich.console import Console

from cli_runner import Terminal, Voice, on_paper
from store_values import citation, exchange, full_exchange
from voice.core.grounding.values import Receipt, SentenceVerdict
from voice.core.session.audit import AuditReport, SentenceAudit, audit_exchange
from voice.core.session.values import DialogueExchange
from voice.entrypoints.cli.show.report import bar_of
from voice.entrypoints.cli.show.sessions import show_audit
from voice.entrypoints.cli.show.turn import show_exchange
from voice.entrypoints.cli.terminal import runtime
from voice.entrypoints.cli.terminal.printing import marks

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


def test_an_answer_shows_marks_footnotes_doubts_sources_and_its_cost() -> None:
    said = shown(exchange(sources=(citation(),), sentences=(sentence("In Porto."),)))
    assert [line.rstrip() for line in said.splitlines()[:4]] == [
        "✗ not supported: In Porto. [1]",
        "  the source says 14",
        "Sources",
        "1. undated “Ada moved”  o:1",
    ]
    assert "coverage 100% · 1 source · extractive/extractive · $0.000123 · 12 ms · session s:1" in said


def test_a_turn_without_sources_or_price_says_so() -> None:
    said = shown(exchange(cost_estimate=None))
    assert "Sources" not in said
    assert "0 sources · extractive/extractive · cost unknown" in said


def test_a_refusal_shows_its_reason_and_what_there_was() -> None:
    said = shown(full_exchange())
    assert said.startswith("✗ I cannot provide a well-grounded answer")
    assert "reason: coverage_low" in said
    assert "undated “Ada moved”  o:1" in said
    bare = shown(replace(full_exchange(), reason=None, notes=None, evidence_found=(), verification=None))
    assert bare.strip() == "✗ I cannot provide a well-grounded answer to that question based on available sources."


@pytest.mark.requirement("ruling:D22")
def test_what_a_memory_says_never_steers_the_terminal() -> None:
    turn = exchange(sources=(replace(citation(), span=HOSTILE),), sentences=(sentence(HOSTILE),))
    for each in (turn, replace(turn, refused=True, notes=HOSTILE, evidence_found=turn.sources)):
        said = shown(each)
        assert not set(said) & set("\x1b\x07\u202e")
        assert "[bold]not markup[/bold]" in said


def test_a_hostile_memory_steers_no_pipe_and_no_listing_either(voice: Voice) -> None:
    voice.ok("remember", HOSTILE)
    voice.ok("kg", "add", "entity", "Evil\x1b[31m One", "--description", HOSTILE, "--alias", "\x1b[1mEv")
    ran = voice("ask", "Where is the kiln?", "--new", "to\x1b[31mpic")
    everything = ran.out + ran.err
    for command in (["sessions", "list"], ["sessions", "show", "to\x1b[31mpic"], ["kg", "list"], ["report"]):
        listed = voice.ok(*command)
        everything += listed.out + listed.err
    everything += voice.ok("retrieve", "Moved the kiln", "--explain", "--floor", "0").out
    everything += voice.ok("kg", "show", "Evil\x1b[31m One").out
    assert "kiln" in everything
    assert not set(everything) & set("\x1b\x07\u202e\x9b")


def test_on_a_terminal_an_answer_is_marked(told: Voice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("voice.entrypoints.cli.ask.is_terminal", lambda: True)
    assert "✓ Moved the kiln to the shed. [1]" in told.ok("ask", "Where is the kiln?").out


def test_without_a_terminal_nothing_is_cut_or_coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in ("stdout", "stderr"):
        monkeypatch.setattr(sys, stream, Terminal())
        assert runtime.console(stderr=stream == "stderr").is_terminal
        monkeypatch.setattr(sys, stream, io.StringIO())
        plain = runtime.console(stderr=stream == "stderr")
        assert (plain.is_terminal, plain.width) == (False, 2_000)


def test_no_color_takes_the_colours_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys, "stdout", terminal := Terminal())
    for style in ("red", "bold", "dim"):
        runtime.console().print("kiln", style=style)
    assert terminal.getvalue() == "kiln\nkiln\nkiln\n"
    assert marks("utf-8").styled("✓") == "✓"


def test_on_a_narrow_terminal_sessions_and_reports_take_several_lines(
    told: Voice, monkeypatch: pytest.MonkeyPatch
) -> None:
    told.ok("ask", "Where is the kiln?")
    narrow = Console(file=(paper := io.StringIO()), force_terminal=True, width=40, color_system=None)
    for module in ("sessions", "report"):
        monkeypatch.setattr(f"voice.entrypoints.cli.{module}.console", lambda: narrow)
    listed = told.ok("sessions", "list").out.splitlines()
    assert [line.strip()[:2] for line in listed] == ["s:", "20", "Wh"]
    told.ok("report")
    lines = [line.rstrip() for line in paper.getvalue().splitlines()]
    assert {"total", "  turns 1 · answered 1 · refused 0 ·"} <= {*lines}
    assert max(map(len, lines)) <= 40


def test_long_work_shows_bars_on_a_terminal_and_short_work_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 0.1, 1.0, 2.0, 3.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(times, 9.0))
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with runtime.progress() as advance:
        advance("reading", 1, 10)
        assert terminal.getvalue() == ""
        advance("reading", 5, 10)
        advance("reading", 6, 10)
        advance("storing", 1, None)
    assert "reading" in terminal.getvalue()
    monkeypatch.setattr(sys, "stderr", quick := Terminal())
    with runtime.progress():
        pass
    assert quick.getvalue() == ""


def test_a_bar_for_work_that_is_known_to_be_long_is_at_once_on_a_terminal_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with runtime.progress(at_once="reading"):
        assert "reading" in terminal.getvalue()
    monkeypatch.setattr(sys, "stderr", stream := io.StringIO())
    with runtime.progress(at_once="reading") as advance:
        advance("reading", 1, 10)
    assert stream.getvalue() == ""


def test_a_terminal_without_a_text_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("typed"))
    with pytest.raises(click.UsageError, match="type your question, or pipe it in"):
        runtime.stdin_text(None, what="your question")


@pytest.mark.parametrize(("value", "largest", "blocks"), [(0, 5, 0), (5, 5, 12), (0.01, 5, 1), (2.5, 5, 6), (1, 0, 0)])
def test_a_bar_is_as_long_as_its_share(value: float, largest: float, blocks: int) -> None:
    assert bar_of(value, largest, width=12) == "▇" * blocks


def test_an_audit_names_the_turn_and_shows_what_its_source_says_today(capsys: pytest.CaptureFixture[str]) -> None:
    today = ("The kiln\nwas sold.", "x" * 400)
    fallen = SentenceAudit(index=0, start=0, end=4, text="Kiln", status="source_changed", row_ids=("o:1",), today=today)
    turn = audit_exchange(full_exchange(), (fallen,))
    show_audit(AuditReport(exchanges=(replace(turn, is_private=False),)), include_private=False)
    told = capsys.readouterr().out
    assert ", x:1-0), sentence 1: source changed  o:1" in told
    assert "    today: “The kiln was sold.”\n" in told
    assert f"“{'x' * 299}…”" in told
    show_audit(AuditReport(exchanges=(replace(turn, is_private=True),)), include_private=False)
    assert "today" not in capsys.readouterr().out
