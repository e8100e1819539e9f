"""Every case of `bench/data` keeps its exact window, and every trap stays without one, but for those known to fail."""

from pathlib import Path

import pytest
from bench.nlq import CaseError, main, measure, read_cases

from voice.core.nlq.parsed_query import NlqSettings

DATA = Path(__file__).parents[4] / "bench" / "data"
KNOWN_MISSES = {
    "since Christmas is over: what did I note on Tuesday?": "the clause after a feast is not read",
    "which song goes tomorrow tomorrow i love ya": "a song's words in small letters",
    "what did you make of yesterday by the beatles": "a song's name in small letters",
    "Q4": "a code alone may be anything",
    "Which birds migrate in autumn?": "a habit without a word that shows it",
    "Is today's the name of a shop?": "a name in small letters",
    "Is tomorrow never dies a Bond film?": "a film's name in small letters",
    "How was 2025?": "a year without a word before it may be any number",
    "Compare 2024 with what came after": "a year without a word before it may be any number",
    "Remember, remember the fifth of November: what's next?": "a rhyme",
    "Is tomorrow's problem a saying I use?": "a saying that reads like a day",
    "What would I do over the weekend if I were rich?": "a question about no real weekend",
}
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


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("{", "line 2"),
        ("[]", "line 2: not an object"),
        ('{"now": "2025-06-18T09:00:00Z"}', "question"),
        ('{"question": "x", "now": "soon"}', "now"),
        ('{"question": "x", "now": "2025-06-18T09:00:00"}', "now"),
        ('{"question": "x", "now": "2025-06-18T09:00:00Z", "timezone": "Mars/Base"}', "timezone"),
        ('{"question": "x", "now": "2025-06-18T09:00:00Z", "from": 3}', "from"),
        ('{"question": "x", "now": "2025-06-18T09:00:00Z", "hemisphere": "east"}', "hemisphere"),
    ],
)
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
