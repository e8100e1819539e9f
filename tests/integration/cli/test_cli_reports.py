"""`voice report` in a terminal of any width, in a pipe, over a period and with other prices."""

import csv
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench.reports import made_turn
from rich.cells import cell_len

from cli_runner import Documented, Voice, on_paper
from voice.core.report.totals import ReportTally
from voice.core.report.values import Dimension, Period, Report
from voice.entrypoints.cli.show import report as shown_report
from voice.entrypoints.cli.show.report import show_report
from voice.entrypoints.cli.show.sessions import session_names
from voice.entrypoints.cli.terminal.printing import Marks

AT = datetime(2026, 3, 20, 12, tzinfo=UTC)
FORMS = ("all", "cost", "tokens", "grounding")
PRICES = """source = "the contract"
as_of = 2026-11-01
[models."extractive/extractive"]
input_per_million = 1
output_per_million = 1
"""


@pytest.fixture
def asked(told: Voice) -> Voice:
    """Return a voice that was asked once."""
    told.ok("ask", "Where is the kiln?")
    return told


def report_of(count: int, *, by: Dimension = "model", period: Period = Period()) -> Report:  # noqa: B008 - frozen
    tally = ReportTally(by, period)
    for number in range(count):
        tally.add(made_turn(number, AT))
    return tally.report()


def printed(report: Report, what: str, *, width: int) -> list[str]:
    said = on_paper(lambda paper: show_report(report, what, paper), width=width, is_terminal=True)
    return [line.rstrip() for line in said.splitlines()]


@pytest.mark.requirement("report:nothing-lost")
@pytest.mark.parametrize("what", FORMS)
def test_every_figure_is_there_at_every_width_and_no_line_is_wider(what: str) -> None:
    report = report_of(60)
    wide = set(" ".join(printed(report, what, width=200)).replace("▇", "").replace("·", "").split())
    for width in (40, 58, 80, 110):
        lines = printed(report, what, width=width)
        assert max(map(cell_len, lines)) <= width
        assert wide <= set(" ".join(lines).replace("▇", " ").split())


@pytest.mark.requirement("report:nothing-lost")
def test_bars_are_in_proportion_and_of_plain_characters_where_there_are_no_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shown_report, "marks", lambda: Marks(is_ascii=True))
    lines = printed(report_of(60, by="stance"), "grounding", width=120)
    assert any(line.endswith("##") for line in lines)
    assert all(line.isascii() for line in lines)


@pytest.mark.requirement("report:rates", "report:prices")
def test_each_form_tells_what_is_behind_its_figures() -> None:
    report = report_of(60)
    cost, grounding = (" ".join(printed(report, what, width=120)) for what in ("cost", "grounding"))
    assert "gemini/gemini-2.5-pro: $1.25 in, cached $0.31, $10 out per million tokens · bench table, 2026-03-20" in cost
    assert "gemini/own-model: price unknown" in cost
    assert "+?: plus turns of unknown cost" in cost
    assert "refused or failed: " in grounding
    assert "90-100 %" in grounding
    assert "90-100 %" not in cost
    assert "that the provider reported" in printed(report, "tokens", width=200)[-1]


def test_a_source_without_rates_is_shown_with_its_date_and_unreported_usage_is_said() -> None:
    tally = ReportTally("model", Period())
    tally.add(replace(made_turn(1, AT), price=None, price_source="old table 2025-01-01", prompt_tokens=None))
    lines = printed(tally.report(), "cost", width=120)
    assert lines[-1].endswith(": old table, 2025-01-01 · 1 turn")
    assert "+?: plus turns of unknown usage" in " ".join(printed(tally.report(), "tokens", width=200))


def test_a_report_without_a_judged_draft_shows_no_tenths() -> None:
    tally = ReportTally("model", Period())
    tally.add(replace(made_turn(1, AT), status="error", attempts=(), price=None, prompt=None))
    assert not any(line.startswith("coverage") for line in printed(tally.report(), "grounding", width=120))
    assert printed(tally.report(), "cost", width=120)[-1] == "no model call: 1 turn"
    assert printed(tally.report(), "tokens", width=200)[-1].endswith("for all calls")


@pytest.mark.requirement("report:by-purpose")
def test_what_rare_calls_took_has_a_column_where_there_are_any() -> None:
    made = report_of(60)
    assert made.total.repairs_made.count
    assert not made.total.summaries.count
    for what in ("cost", "tokens"):
        heading = printed(made, what, width=200)[1].split()
        assert ("repairs" in heading, "verifiers" in heading, "summaries" in heading) == (True, True, False)


@pytest.mark.requirement("report:period")
@pytest.mark.parametrize(
    ("period", "said"),
    [
        ({}, "All turns"),
        ({"start": AT}, "Turns from 2026-03-20 13:00 to now (Europe/Berlin)"),
        ({"start": datetime(2026, 2, 28, 23, tzinfo=UTC)}, "Turns from 2026-03-01 to now (Europe/Berlin)"),
        ({"end": datetime(2026, 3, 31, 22, tzinfo=UTC)}, "Turns through 2026-03-31 (Europe/Berlin)"),
        ({"end": datetime(2026, 4, 1, 12, tzinfo=UTC)}, "Turns until 2026-04-01 14:00 (Europe/Berlin)"),
    ],
)
def test_the_period_that_was_taken_is_said(period: dict[str, datetime], said: str) -> None:
    report = report_of(3, period=Period(start=period.get("start"), end=period.get("end"), timezone="Europe/Berlin"))
    assert printed(report, "all", width=120)[0] == said


@pytest.mark.requirement("report:period")
def test_a_period_without_turns_is_said_in_one_sentence(voice: Voice, is_as_documented: Documented) -> None:
    assert voice.ok("report").out == "No turns are stored yet.\n"
    empty = voice.ok("report", "--since", "2020-03-01", "--until", "2020-03-31")
    assert empty.out.startswith("No turns from 2020-03-01 through 2020-03-31 (")
    is_as_documented("cli/report", voice.ok("report", "--json", "--since", "2020"))
    assert len(voice.ok("report", "--csv").out.splitlines()) == 2


@pytest.mark.requirement("report:repricing")
def test_other_prices_are_said_in_every_form_and_change_nothing_that_is_stored(
    asked: Voice, is_as_documented: Documented, tmp_path: Path
) -> None:
    before = asked.ok("report", "--json").json
    (tmp_path / "new.toml").write_text(PRICES)
    prices = ("--prices", str(tmp_path / "new.toml"))
    ran = asked.ok("report", "cost", "--json", *prices)
    is_as_documented("cli/report", ran)
    assert ran.json["repriced_with"]["source"] == "the contract"
    assert "Cost re-priced with the contract, as of 2026-11-01" in asked.ok("report", *prices).out
    rows = list(csv.reader(asked.ok("report", "--csv", *prices).out.splitlines()))
    assert {row[-1].split(" (")[0] for row in rows[1:]} == {"re-priced with the contract, as of 2026-11-01"}
    assert asked.ok("report", "--json").json == before
    assert "so --prices has no effect" in asked.refused("report", "tokens", *prices)
    assert asked("report", "--prices", str(tmp_path / "none.toml")).code == 2


@pytest.mark.requirement("report:names")
def test_sessions_are_shown_by_topic_beside_a_short_id_and_given_whole_to_programs(
    voice: Voice, is_as_documented: Documented
) -> None:
    voice.ok("remember", "Moved the kiln to the shed.")
    voice.ok("remember", "The safe opens with 4711.", "--private")
    voice("ask", "What opens the safe?", "--private")
    voice.ok("ask", "Where is the kiln?", "--new", "the kiln, and where in the garden it could stand one day")
    document = voice.ok("report", "--json")
    is_as_documented("cli/report", document)
    topics = {row["thread_topic"]: row["key"] for row in document.json["rows"]}
    assert set(topics) == {"a private conversation", "the kiln, and where in the garden it could stand one day"}
    assert {len(key) for key in topics.values()} == {28}
    shown = voice.ok("report").out
    assert f"{topics['a private conversation'][:12]}  a private conversation" in shown
    assert "  the kiln, and where in the gard…  " in shown
    assert not any(key in shown for key in topics.values())
    table = list(csv.DictReader(voice.ok("report", "--csv").out.splitlines()))
    assert {row["thread_topic"]: row["session"] for row in table if row["session"] != "total"} == topics
    voice.ok("sessions", "show", topics["a private conversation"][:12])


@pytest.mark.requirement("report:names")
def test_an_id_is_as_long_as_it_takes_to_tell_it_from_the_others() -> None:
    ids = ["s:01m81grcmh56p9k65", "s:01m81grcmh56q9k65"]
    assert list(session_names(ids[:1], {}, width=80).values()) == ["s:01m81grcmh"]
    named = session_names(ids, {ids[0]: "窯の場所"}, width=25).values()
    assert list(named) == ["s:01m81grcmh56p  窯の場所", ids[1][:15]]
    assert session_names(ids[:1], {ids[0]: "the kiln"}, width=20)[ids[0]] == "s:01m81grcmh  the k…"
    assert session_names([], {}, width=80) == {}


def test_of_two_forms_one_has_to_be_chosen(voice: Voice) -> None:
    refused = voice("report", "--json", "--csv")
    assert (refused.code, "choose one of --json and --csv" in refused.err) == (2, True)


@pytest.mark.requirement("report:dimensions", "report:verifiers-apart")
@pytest.mark.parametrize("by", ["session", "model", "day", "month", "prompt", "stance"])
def test_every_grouping_is_documented(asked: Voice, is_as_documented: Documented, by: str) -> None:
    ran = asked.ok("report", "--json", "--by", by)
    is_as_documented("cli/report", ran)
    (row,) = ran.json["rows"]
    if by == "prompt":
        assert row["key"] in [each["label"] for each in asked.ok("prompts", "list", "--json").json]


@pytest.mark.requirement("spending:imported")
@pytest.mark.parametrize(
    ("own", "imported", "told"), [(1, 1, "1 turn was asked elsewhere"), (0, 2, "2 turns were asked elsewhere")]
)
def test_turns_that_were_imported_are_told_apart(own: int, imported: int, told: str) -> None:
    report = replace(report_of(own), imported=imported)
    assert [line for line in printed(report, "cost", width=100) if told in line]
    assert [told in line for line in printed(report_of(own), "cost", width=100)].count(True) == 0


@pytest.mark.requirement("report:repricing")
def test_a_price_of_what_was_answered_offline_is_not_used_and_that_is_said(asked: Voice, tmp_path: Path) -> None:
    prices = tmp_path / "new.toml"
    prices.write_text(PRICES.replace("extractive/extractive", "extractive/extractive-1"))
    ran = asked.ok("report", "cost", "--csv", "--prices", str(prices))
    assert "the price of extractive/extractive-1 has no effect" in ran.only_line
    prices.write_text(PRICES)
    assert asked.ok("report", "cost", "--csv", "--prices", str(prices)).err == ""
