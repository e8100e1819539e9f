"""A whole question: terms, quotes, names, kind, number, order.

Apostrophes of every kind and letters of either case mean the same (ruling E.2).
What a question is about, beside the time it asks about (ruling E.1).
Every case of `bench/data` keeps its exact window, and every trap stays without one, but for those known to fail.
"""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench.nlq import CaseError, main, measure, read_cases

from tables import tables
from voice.core.errors import InvalidParams
from voice.core.graph.entity_names import NameIndex
from voice.core.nlq.calendar import zone
from voice.core.nlq.parse import parse_query
from voice.core.nlq.parsed_query import NlqSettings, ParsedQuery
from voice.core.records import EntityName

TABLES = tables(__file__)

NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC)


KNOWN = (
    EntityName(id="e:sam", name="Sam Atagana", entity_type="person", aliases=("Sam",)),
    EntityName(id="e:sam2", name="Sam Smith", entity_type="person", aliases=("Sam",)),
    EntityName(id="e:cc", name="Claude Code", entity_type="tool", aliases=("CC",)),
    EntityName(id="e:ann", name="ann", entity_type="person"),
)


def ask(question: str, settings: NlqSettings = NlqSettings()) -> ParsedQuery:  # noqa: B008
    return parse_query(question, now=NOW, timezone="UTC", settings=settings, entities=KNOWN)


@pytest.mark.requirement("s3:query:1", "ruling:E.7", "s3:parser:aliases", "s3:parser:stopwords")
def test_three_accomplishments_two_weeks_ago() -> None:
    got = ask("What are three accomplishments that Sam got excited about two weeks ago?")
    assert got.window is not None
    assert (got.terms, got.limit, got.asked_for) == (("accomplishments", "sam", "excited"), 3, "list")
    assert (got.entity_ids, got.persons) == (("e:sam", "e:sam2"), ("Sam",))
    assert [notice.code for notice in got.notices] == ["entity_ambiguous"]


@pytest.mark.requirement("s3:query:2", "s3:query:3", "s3:query:4", "s3:query:5", "ruling:E.2")
@pytest.mark.parametrize(("question", "said", "terms"), TABLES["the_questions_of_the_spec"])
def test_the_questions_of_the_spec(question: str, said: str, terms: tuple[str, ...]) -> None:
    got = ask(question)
    assert got.time is not None
    assert (got.time.text, got.terms) == (said, terms)
    assert question[got.time.start : got.time.end] == said


@pytest.mark.requirement("ruling:E.8")
def test_quoted_phrases_are_kept_as_written() -> None:
    got = ask('Where did I write “Auth Bug” or \'flaky test\' and "Auth Bug" or " "?')
    assert got.phrases == ("Auth Bug", "flaky test")


READ = {
    "terms_are_what_the_question_is_about": "terms",
    "the_kind_of_answer_wanted": "asked_for",
    "how_many_are_asked_for": "limit",
    "words_of_order_imply_an_order": "order",
    "people_are_named_as_written": "persons",
    "the_time_is_taken_out_unless_nothing_would_be_left": "untimed",
}


@pytest.mark.requirement("ruling:E.1")
@pytest.mark.parametrize(
    ("member", "question", "value"),
    [pytest.param(member, *row, id=f"{law}: {row[0]}") for law, member in READ.items() for row in TABLES[law]],
)
def test_a_question_is_read_member_by_member(member: str, question: str, value: object) -> None:
    assert getattr(ask(question, NlqSettings(max_limit=50)), member) == value


@pytest.mark.requirement("s3:test:regex-escaping")
def test_terms_are_bounded() -> None:
    many = " ".join(f"word{n}" for n in range(50))
    assert len(ask(many).terms) == 10
    assert len(ask(many, NlqSettings(max_keywords=3)).terms) == 3


@pytest.mark.parametrize(
    "question", ["In early March, who called?", "On March 5, 2024, who called?", "On 5 March, what?"]
)
def test_a_phrase_ends_at_its_last_word(question: str) -> None:
    got = ask(question)
    assert got.time is not None
    assert not got.time.text.endswith(",")


def test_an_index_of_names_may_be_made_before() -> None:
    got = parse_query("What did Sam do?", now=NOW, timezone="UTC", entities=NameIndex.of(KNOWN))
    assert (got.entity_ids, got.persons) == (("e:sam", "e:sam2"), ("Sam",))


def test_a_zone_may_be_a_name_or_made_before() -> None:
    for given in ("Asia/Tokyo", zone("Asia/Tokyo")):
        got = parse_query("today", now=NOW, timezone=given)
        assert got.time is not None
        assert got.time.window.start == datetime(2025, 3, 12, 15, tzinfo=UTC)
        assert got.time.note.endswith("(Asia/Tokyo)")


def test_a_note_shows_an_open_end_and_times_of_day() -> None:
    before, morning = ask("before 2024"), ask("this morning")
    assert before.time is not None
    assert morning.time is not None
    assert before.time.note == "before 2024: … to 2024-01-01 (UTC)"
    assert morning.time.note == "this morning: 2025-03-12 05:00 to 2025-03-12 12:00 (UTC)"


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(InvalidParams):
        parse_query("today", now=datetime(2025, 3, 12), timezone="UTC")  # noqa: DTZ001 - the point of the test


def test_dates_follow_the_order_that_is_set() -> None:
    got = ask("on 3/5/2024", NlqSettings(date_order="day_first"))
    assert got.window is not None
    assert got.window.start == datetime(2024, 5, 3, tzinfo=UTC)


@pytest.mark.requirement("ruling:E.2")
@pytest.mark.parametrize("mark", ["'", "’", "‘", "ʼ", "`", "´"])
@pytest.mark.parametrize("form", [str, str.upper, str.title])
def test_marks_and_case_change_nothing(mark: str, form: type[str]) -> None:
    said = "What were last month's proud moments, and what wasn't"
    plain = parse_query(said, now=NOW, timezone="UTC")
    other = parse_query(form(said).replace("'", mark), now=NOW, timezone="UTC")
    assert plain.window is not None
    assert (other.window, other.terms) == (plain.window, plain.terms)


def test_an_explicit_when_leaves_the_question_as_it_is() -> None:
    parsed = parse_query("What did I say yesterday?", now=NOW, timezone="UTC", when="last week")
    assert parsed.untimed == parsed.question


DATA = Path(__file__).parents[4] / "bench" / "data"
KNOWN_MISSES = TABLES["known_misses"]
"""Left as they are: a rule for each of them would be a list of sentences."""


@pytest.mark.requirement("ruling:E.1", "ruling:E.3")
@pytest.mark.parametrize("path", sorted(DATA.glob("nlq-*.jsonl")), ids=lambda path: path.stem)
def test_every_case_is_understood_exactly(path: Path) -> None:
    cases = list(read_cases(path))
    figures = measure(cases, NlqSettings())
    asked = {case.question for case in cases}
    assert len(cases) >= 70
    assert {miss["question"] for miss in figures["misses"]} == KNOWN_MISSES.keys() & asked


def test_a_case_may_name_its_hemisphere_and_leave_out_what_is_open(tmp_path: Path) -> None:
    data = tmp_path / "cases.jsonl"
    data.write_text(
        '{"question": "last summer", "now": "2025-06-18T09:00:00Z", "timezone": "Australia/Sydney", '
        '"from": "2024-11-30T13:00:00Z", "to": "2025-02-28T13:00:00Z", "hemisphere": "south"}\n\n'
        '{"question": "notes until 2020", "now": "2025-06-18T09:00:00Z", "to": "2021-01-01T00:00:00Z"}\n'
        '{"question": "May I?", "now": "2025-06-18T09:00:00Z", "trap": true}\n',
        encoding="utf-8-sig",
    )
    figures = measure(list(read_cases(data)), NlqSettings())
    assert (figures["exact"], figures["false_windows"], figures["cases"], figures["traps"]) == (1.0, 0, 2, 1)


@pytest.mark.parametrize(("line", "named"), TABLES["a_bad_line_is_named"])
def test_a_bad_line_is_named(line: str, named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "cases.jsonl"
    data.write_text("\n" + line + "\n", encoding="utf-8")
    with pytest.raises(CaseError, match=named):
        list(read_cases(data))
    assert main(["--data", str(data), "--json"]) == 2
    assert "line 2" in capsys.readouterr().err


def test_the_figures_name_every_miss_with_what_was_expected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "cases.jsonl"
    data.write_text(
        '{"question": "today", "now": "2025-06-18T09:00:00Z", "timezone": "UTC", "from": "2025-06-17T00:00:00Z", '
        '"to": null, "trap": false}\n',
        encoding="utf-8",
    )
    assert main(["--data", str(data), "--json"]) == 0
    (miss,) = measure(list(read_cases(data)), NlqSettings())["misses"]
    assert miss["expected"] == ["2025-06-17T00:00:00+00:00", None]
    assert miss["got"] == ["2025-06-18T00:00:00+00:00", "2025-06-19T00:00:00+00:00"]
    assert '"exact": 0.0' in capsys.readouterr().out
