"""What an import would bring in, in words."""

from datetime import UTC

import pytest

from store_values import NOON
from voice.core.interchange.import_plan import Person, Preview
from voice.core.records import Origin
from voice.entrypoints.cli.import_files import tell_preview

pytestmark = pytest.mark.requirement("imports:foreseen")
PEOPLE = (
    Person(name=None, origin=Origin.HUMAN, thoughts=1_200),
    Person(name="Irma", origin=Origin.HUMAN, thoughts=3),
    Person(name="assistant", origin=Origin.MODEL, thoughts=2),
    Person(name=None, origin=Origin.TOOL, thoughts=1),
    Person(name=None, origin=Origin.LOGGED, thoughts=1),
)


def test_it_says_whose_words_come_in_and_when_they_were_told(capsys: pytest.CaptureFixture[str]) -> None:
    seen = Preview(thoughts=7, people=PEOPLE, earliest=NOON, latest=NOON, undated=2_000, private=1)
    tell_preview(seen, links=1_500, reads=False, zone=UTC)
    assert capsys.readouterr().out.splitlines() == [
        f"  dates   {NOON:%Y-%m-%d}, 2,000 without a date",
        "  words   you 1,200, Irma 3 (you), assistant 2 (a model), other people 1, a log you vouch for 1",
        "  private 1",
        "  links   1,500 between notes",
    ]


def test_where_nothing_is_dated_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    tell_preview(
        Preview(thoughts=1, people=PEOPLE * 2, undated=1, first_lines=("Hot.",)), links=0, reads=True, zone=UTC
    )
    dates, words, names, begins = capsys.readouterr().out.splitlines()
    assert dates == "  dates   none of them has a date"
    assert words.endswith("assistant 2 (a model) and 2 more")
    assert names.startswith("  names   found after the import")
    assert begins == "  begins  Hot."
