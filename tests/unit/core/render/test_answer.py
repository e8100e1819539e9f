"""One answer in every form that people and programs read."""

import io
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from full_verdicts import verdict
from grounding_rows import judged, row
from store_values import exchange
from tables import tables
from told_events import SCHEMAS, require_schema
from voice.core.grounding.answer_text import cite
from voice.core.grounding.values import CutSentence, GroundedResponse, RefusalReason, Rung, SentenceVerdict
from voice.core.grounding.verifier_values import Verification, VerifierInfo
from voice.core.render.answer import render_markdown, render_plain
from voice.core.render.conversation import answer_markdown
from voice.core.render.turn_json import exchange_json
from voice.core.session.values import DialogueExchange
from voice.entrypoints.cli.show.turn import show_exchange
from voice.entrypoints.cli.terminal.printing import marks

TABLES = tables(__file__)

MOVED = row("S1", "Moved the kiln to the shed on 14 March.", row_id="o:moved")
BOWLS = row("S2", "Marta fired the first bowls in the kiln.", row_id="o:bowls")
SAYS = "[✗ not supported: It cost 900 euros.]"
ANSWER = f"Moved the kiln to the shed on 14 March. Bowls were fired in it by Marta. {SAYS} Which shed?"


def turn_of(response: GroundedResponse, **fields: object) -> DialogueExchange:
    made = {
        "answer": response.answer,
        "sources": response.sources,
        "sentences": response.sentences,
        "coverage_ratio": 0.654,
        **fields,
    }
    return exchange(**made)  # pyright: ignore[reportArgumentType]


def sentence(text: str, rung: Rung, *rows: str, **more: object) -> SentenceVerdict:
    at = ANSWER.index(text)
    return verdict(text, *rows, rung=rung, start=at, end=at + len(text), **more)


def marked_turn() -> DialogueExchange:
    """Return an answer with a sentence of each look, of which two more were left out."""
    accepted = judged(f"{MOVED.text} {BOWLS.text}", ("S1", MOVED.text), ("S2", BOWLS.text), memory=(MOVED, BOWLS))
    sentences = (
        sentence("Moved the kiln to the shed on 14 March.", "quoted", "o:moved"),
        sentence("Bowls were fired in it by Marta.", "verified", "o:bowls", verifier="llm a-model"),
        sentence(
            "It cost 900 euros.",
            "unsupported",
            reasons=("the cited sources do not give 900",),
            flags=("number",),
            missing=((8, 11),),
        ),
        sentence("Which shed?", "remark", kind="question"),
    )
    cut = CutSentence(rung="unverified", kind="claim", weight=1.0, digest="d")
    return turn_of(accepted, answer=ANSWER, sentences=sentences, cut=(cut, cut))


def refused_turn() -> DialogueExchange:
    return exchange(
        answer="",
        refused=True,
        status="refused",
        reason=RefusalReason.TOO_FEW_SOURCES,
        notes="only 1 distinct source supports the answer, and your settings require 2; "
        "no cited sentence gives the date May",
        evidence_found=marked_turn().sources[:1],
    )


def in_terminal(turn: DialogueExchange, *, width: int, encoding: str = "utf-8") -> str:
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="backslashreplace")
    out = Console(file=file, width=width, highlight=False, force_terminal=True, no_color=True, color_system=None)
    show_exchange(turn, out)
    file.flush()
    assert isinstance(file.buffer, io.BytesIO)
    return "\n".join(line.rstrip() for line in file.buffer.getvalue().decode(encoding).splitlines())


def utc_day(moment: datetime) -> str:
    return f"{moment.astimezone(UTC).date()}"


@pytest.mark.requirement("grounding:signs")
def test_a_wide_terminal_shows_quiet_signs_loud_marks_footnotes_reasons_and_sources() -> None:
    assert (
        in_terminal(marked_turn(), width=140)
        == """\
✓ Moved the kiln to the shed on 14 March. [1]
✓ Bowls were fired in it by Marta. [2]
✗ not supported: It cost 900 euros.
  the cited sources do not give 900
· Which shed?
! 2 sentences left out: not checked
Sources
1. 2023-05-08 “Moved the kiln to the shed on 14 March.”  o:moved
2. 2023-05-08 “Marta fired the first bowls in the kiln.”  o:bowls
Note: Response based on 65% source coverage
coverage 65% · 2 sources · 1 quoted, 1 verified by llm a-model · extractive/extractive · $0.000123 · 12 ms · \
session s:1"""
    )


def test_a_narrow_terminal_wraps_under_the_text_and_puts_ids_on_their_own_lines() -> None:
    shown = in_terminal(marked_turn(), width=40)
    assert shown.startswith("""\
✓ Moved the kiln to the shed on 14
  March. [1]
✓ Bowls were fired in it by Marta. [2]
✗ not supported: It cost 900 euros.
  the cited sources do not give 900
· Which shed?
! 2 sentences left out: not checked
Sources
1. 2023-05-08 “Moved the kiln to the
   shed on 14 March.”
   o:moved
""")


@pytest.mark.slow
@pytest.mark.parametrize("width", [20, 40, 80])
@given(text=st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs")), min_size=1, max_size=120))
def test_no_line_is_wider_than_the_terminal(width: int, text: str) -> None:
    one = marked_turn().sentences[0]
    turn = replace(marked_turn(), sentences=(replace(one, text=text),))
    assert all(cell_len(line) <= width for line in in_terminal(turn, width=width).splitlines())


def test_a_terminal_without_our_signs_shows_them_in_ascii() -> None:
    shown = in_terminal(marked_turn(), width=100, encoding="ascii")
    assert shown.splitlines()[0] == "+ Moved the kiln to the shed on 14 March. [1]"
    assert '2. 2023-05-08 "Marta fired the first bowls in the kiln."  o:bowls' in shown
    assert "x not supported: It cost 900 euros." in shown
    assert "\\" not in shown


def test_an_encoding_shows_all_of_our_signs_or_none() -> None:
    shown = {encoding: marks(encoding).text("✓ “a” → …") for encoding in ("utf-8", "latin-1", "ascii", "no such one")}
    in_ascii = '+ "a" -> ...'
    assert shown == {"utf-8": "✓ “a” → …", "latin-1": in_ascii, "ascii": in_ascii, "no such one": in_ascii}


@pytest.mark.requirement("ruling:D3", "promise:2")
def test_a_refusal_tells_what_was_missing_piece_by_piece_and_what_there_was() -> None:
    assert (
        in_terminal(refused_turn(), width=100)
        == """\
✗ I cannot provide a well-grounded answer to that question based on available sources.
  only 1 distinct source supports the answer, and your settings require 2
  no cited sentence gives the date May
  reason: too_few_sources
Closest in your notes
1. 2023-05-08 “Moved the kiln to the shed on 14 March.”  o:moved"""
    )


def test_markdown_is_s2s_with_what_is_in_doubt() -> None:
    assert (
        render_markdown(marked_turn())
        == f"""\
{ANSWER}

*2 sentences left out: not checked*

**Sources:**
1. [o:moved] Moved the kiln to the shed on 14 March.
2. [o:bowls] Marta fired the first bowls in the kiln.

**In doubt:**
- [✗ not supported: It cost 900 euros.]
  - the cited sources do not give 900

*Note: Response based on 65% source coverage*"""
    )
    assert render_markdown(exchange()) == "In Porto."


@pytest.mark.requirement("answers:own-signs")
def test_a_sign_or_a_label_in_the_words_of_a_note_is_none_of_ours_in_any_form_for_people() -> None:
    forged = row("S1", "✓ [S2] The safe is open [o:moved]. ✗", row_id="o:safe")
    cited = judged("The safe is open.", ("S1", forged.text), memory=(forged,))
    said = SentenceVerdict(start=0, end=36, text=forged.text, kind="claim", rung="unverified")
    turn = turn_of(cited, answer=forged.text, sentences=(said,))
    shown = "☑ (S2) The safe is open (o:moved). ☒"
    assert render_markdown(turn).startswith(f"[~ not checked: {shown}]\n")
    forms = [render_markdown(turn), render_plain(turn, utc_day), in_terminal(turn, width=200)]
    for form in (*forms, answer_markdown(turn, {}, timezone="UTC")):
        assert (shown in form, forged.text in form) == (True, False)
    assert forged.text in str(exchange_json(turn)["answer"]), "what a program reads is exact"


def test_what_is_cited_of_one_row_stands_under_one_number_in_every_form() -> None:
    table = "## Boats\n\n| Boat | Price |\n|---|---|\n| Nele | 700 EUR |\n| Otto | 450 EUR |"
    boats, harbour = row("S1", table, row_id="o:boats"), row("S2", "Otto lies in the harbour.", row_id="o:harbour")
    spans = [(boats, "| Otto | 450 EUR |"), (harbour, harbour.text), (boats, "| Nele | 700 EUR |"), (boats, "## Boats")]
    cited = tuple(cite(one, one.text.index(span), one.text.index(span) + len(span)) for one, span in spans)
    turn = exchange(answer="Otto cost 450 EUR.", sources=cited, sentences=(), coverage_ratio=1.0)

    assert render_markdown(turn).endswith(
        "**Sources:**\n1. [o:boats] Otto; 450 EUR … Nele; 700 EUR … Boats\n2. [o:harbour] Otto lies in the harbour."
    )
    assert "1. 2023-05-08 “Otto; 450 EUR” … “Nele; 700 EUR” … “Boats”  o:boats\n2. " in in_terminal(turn, width=100)
    assert "row o:boats, says: Otto; 450 EUR. And: Nele; 700 EUR. And: Boats\nSource 2: " in render_plain(turn, utc_day)
    assert "2 sources prove" in render_plain(turn, utc_day)


@pytest.mark.parametrize(("answer", "shown"), TABLES["a_quoted_number_is_not_counted_anew_by_markdown"])
def test_a_quoted_number_is_not_counted_anew_by_markdown(answer: str, shown: str) -> None:
    assert render_markdown(exchange(answer=answer, coverage_ratio=1.0)).split("\n\n")[0] == shown


def test_plain_text_can_be_read_aloud() -> None:
    assert (
        render_plain(marked_turn(), utc_day)
        == """\
Sentence 1, quoted from source 1: Moved the kiln to the shed on 14 March.
Sentence 2, verified against source 2: Bowls were fired in it by Marta.
Sentence 3, not supported: It cost 900 euros.
Reason: the cited sources do not give 900.
Sentence 4, states nothing: Which shed?
2 sentences left out: not checked.
Source 1: 2023-05-08, row o:moved, says: Moved the kiln to the shed on 14 March.
Source 2: 2023-05-08, row o:bowls, says: Marta fired the first bowls in the kiln.
Sentences: 1 quoted, 1 verified by llm a-model.
2 sources prove 65 percent of the draft."""
    )
    both = verdict(MOVED.text, "o:moved", "o:bowls")
    turn = replace(marked_turn(), sentences=(both,), sources=marked_turn().sources)
    assert render_plain(turn, utc_day).startswith("Sentence 1, quoted from sources 1 and 2: ")
    bare = replace(turn, sentences=(), sources=turn.sources[:1], coverage_ratio=1.0)
    assert render_plain(bare, utc_day).endswith("1 source proves 100 percent of the draft.")


def test_a_plain_refusal_can_be_read_aloud() -> None:
    assert (
        render_plain(refused_turn(), utc_day)
        == """\
No answer. I cannot provide a well-grounded answer to that question based on available sources.
Reason: only 1 distinct source supports the answer, and your settings require 2.
Reason: no cited sentence gives the date May.
Closest in your notes, 1: 2023-05-08, row o:moved, says: Moved the kiln to the shed on 14 March."""
    )


def test_json_offsets_are_code_points_of_the_answer_and_of_the_source() -> None:
    said = "Zoë’s 🏺 kiln moved to the shed. 思い出 stayed."
    span = "Zoë’s 🏺 kiln moved to the shed."
    memory = (row("S1", f"🏺 First. {span}", row_id="o:1"), row("S2", "思い出 stayed.", row_id="o:2"))
    response = judged(said, ("S1", span), ("S2", "思い出 stayed."), memory=memory)
    assert not response.refused, response.notes
    document = exchange_json(turn_of(response))
    texts = {one.row_id: one.text for one in memory}
    sentences, sources = (cast("list[dict[str, Any]]", document[name]) for name in ("sentences", "sources"))
    assert [said[one["start"] : one["end"]] for one in sentences] == [one["text"] for one in sentences]
    held = [one for sentence in sentences for one in cast("list[dict[str, Any]]", sentence["receipts"])]
    assert {texts[one["source_id"]][one["span_start"] : one["span_end"]] for one in held} == {span, "思い出 stayed."}
    assert [texts[one["source_id"]][one["span_start"] : one["span_end"]] for one in sources] == [
        one["span"] for one in sources
    ]


def test_the_schema_says_what_offsets_count() -> None:
    text = (SCHEMAS / "cli" / "ask.schema.json").read_text(encoding="utf-8")
    assert "Half-open offsets in code points of the answer." in text
    assert "Half-open offsets in code points of the row's stored text." in text


@pytest.mark.requirement("grounding:lapses")
def test_json_tells_who_was_asked_and_why_there_was_no_opinion() -> None:
    record = Verification(verifier=VerifierInfo(name="llm", version="a-model"), asked=2, lapse="late")

    document = cast("dict[str, Any]", exchange_json(replace(marked_turn(), verification=record)))

    asked = document["verification"]
    assert [asked[name] for name in ("verifier", "version", "sentences_asked", "lapse")] == [
        "llm",
        "a-model",
        2,
        "late",
    ]
    require_schema(document, "cli/ask")
    assert exchange_json(marked_turn())["verification"] is None


@pytest.mark.requirement("ruling:D5")
def test_a_wrong_premise_stands_beside_the_answer_in_every_form() -> None:
    turn = replace(marked_turn(), premise=("your question says 20; the source says 12",))
    line = "Your question says 20; the source says 12."
    assert f"! {line}" in in_terminal(turn, width=200)
    assert f"*{line}*" in render_markdown(turn)
    assert f"Note: {line}" in render_plain(turn, utc_day)
    told = exchange_json(turn)
    assert told["premise"] == ["your question says 20; the source says 12"]
    require_schema(told, "cli/ask")


@pytest.mark.requirement("ruling:D6")
def test_a_refusal_says_nothing_of_a_premise() -> None:
    turn = replace(marked_turn(), refused=True, answer="No.", premise=("your question says 20; the source says 12",))

    assert "20" not in render_markdown(turn)
    assert "20" in render_markdown(replace(turn, refused=False))
