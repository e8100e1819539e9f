"""`voice report` in a terminal of any width, in a pipe, over a period and with other prices."""

import csv
from datetime import UTC, datetime
from pathlib import Path

import pytest
from bench.reports import made_turn
from rich.cells import cell_len

from cli_runner import Documented, Voice, on_paper
from voice.core.report.totals import ReportTally
from voice.core.report.values import Period, Report
from voice.entrypoints.cli.show.report import show_report

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


def report_of(count: int) -> Report:
    tally = ReportTally("model", Period())
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


@pytest.mark.requirement("report:period")
def test_a_period_without_turns_is_said_in_one_sentence(voice: Voice, is_as_documented: Documented) -> None:
    assert voice.ok("report").out == "No turns are stored yet.\n"
    empty = voice.ok("report", "--since", "2020-03-01", "--until", "2020-03-31")
    assert empty.out.startswith("No turns from 2020-03-01 through 2020-03-31 (")
    is_as_documented("cli/report", voice.ok("report", "--json", "--since", "2020"))
    assert len(voice.ok("report", "--csv").out.splitlines()) == 2
    assert "choose one of --json and --csv" in voice("report", "--json", "--csv").err


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


@pytest.mark.requirement("report:dimensions", "report:verifiers-apart")
def test_every_grouping_is_documented(asked: Voice, is_as_documented: Documented) -> None:
    for by in ("session", "model", "day", "month", "prompt", "stance"):
        ran = asked.ok("report", "--json", "--by", by)
        is_as_documented("cli/report", ran)
        (row,) = ran.json["rows"]
        if by == "prompt":
            assert row["key"] in [each["label"] for each in asked.ok("prompts", "list", "--json").json]
