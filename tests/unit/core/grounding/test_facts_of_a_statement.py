"""The hard checks on one statement: it is the source's but for one fact, and that fact is what is told."""

from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grounding_rows import SAID_ON, grounds, row
from voice.core.grounding.claims import judge_sentence
from voice.core.grounding.support import support_of
from voice.core.text.dates import DateMention, quarters, relative_dates, weekday_of, weekdays
from voice.core.text.words import words

THRESHOLD = 1.65


def _judged(claim: str, said: str) -> tuple[str, str]:
    judged = judge_sentence(claim, grounds(row("S1", said)), THRESHOLD)
    return judged.verdict, " ".join(finding.text for finding in judged.findings)


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("said", "claim", "reason"),
    [
        ("I ran 5 km on Sunday.", "You ran 5 miles on Sunday.", "the source says 5 km, the answer says 5 miles"),
        ("The tank holds 60 litres of diesel.", "The tank holds 60 gallons of diesel.", "60 gallons"),
        ("Half of the students passed the exam.", "A third of the students passed the exam.", "A third"),
        ("The course has 10-12 people each term.", "The course has 14 people each term.", "14"),
        (
            "We meet the doctor on Tuesday.",
            "You meet the doctor on Thursday.",
            "the source says Tuesday, the answer says",
        ),
        ("We signed the lease on 3 March 2023.", "You signed the lease in Q2 2023.", "the answer says Q2 2023"),
        ("We signed the lease in Q1 2023.", "You signed the lease in Q2 2023.", "the source says Q1 2023"),
        ("The lease is in a drawer of my desk.", "The lease is in a drawer since Q2 2019.", "gives the date Q2 2019"),
        ("Some of the guests liked the soup.", "All the guests liked the soup.", "the source says “some”"),
        ("Only Maria has the key to the studio.", "Everybody has the key to the studio.", "the source says “only”"),
        ("At least 20 people came to the reading.", "At most 20 people came to the reading.", "“least”"),
        ("More than 20 people came to the reading.", "Fewer than 20 people came to the reading.", "“More”"),
        ("I called the bank before the meeting.", "You called the bank after the meeting.", "“before”"),
        ("I slept three hours less than usual.", "You slept three hours more than usual.", "“less”"),
        ("The kitchen is bigger than the bedroom.", "The bedroom is bigger than the kitchen.", "the other way round"),
        ("The rate fell from 8% to 6%.", "The rate fell from 6% to 8%.", "from 8 to 6, the answer says the reverse"),
        ("I failed to renew the passport.", "You renewed the passport.", "affirms what the source denies"),
        ("I stopped smoking in the spring.", "You smoke since the spring.", "affirms what the source denies"),
        ("I renewed the passport.", "You forgot to renew the passport.", "denies what the source affirms"),
    ],
)
def test_one_fact_that_differs_is_told(said: str, claim: str, reason: str) -> None:
    verdict, reasons = _judged(claim, said)

    assert verdict in ("unsupported", "contradicted")
    assert reason in reasons


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("I bought two dozen eggs at the market.", "You bought 24 eggs at the market."),
        ("Half of the students passed the exam.", "50% of the students passed the exam."),
        ("Three quarters of the students passed.", "75% of the students passed."),
        ("The course has 10-12 people each term.", "The course has between 10 and 12 people each term."),
        ("We signed the lease on 3 March 2023.", "You signed the lease in Q1 2023."),
        ("We signed the lease on 3 March 2023.", "You signed the lease in the first quarter of 2023."),
        ("We signed the lease on 3 March 2023.", "You signed the lease on a Friday in March 2023."),
        ("I moved to Porto last May.", "You moved to Porto in May 2022."),
        ("I moved to Porto last April.", "You moved to Porto in April 2023."),
        ("We meet the doctor on Tuesday.", "You meet the doctor on 9 May 2023."),
        ("We meet every Tuesday.", "You meet on Tuesdays."),
        ("More than 20 people came to the reading.", "Over 20 people came to the reading."),
        ("My brother is older than my cousin.", "Your cousin is younger than your brother."),
        ("The rate fell from 8% to 6%.", "The rate fell to 6% from 8%."),
        ("I stopped smoking in the spring.", "You no longer smoke since the spring."),
        ("I failed to renew the passport.", "You did not renew the passport."),
    ],
)
def test_the_same_fact_in_another_form_is_supported(said: str, claim: str) -> None:
    assert _judged(claim, said)[0] == "supported"


@given(st.integers(4, 999), st.integers(4, 999))
def test_any_other_number_in_a_copied_sentence_is_never_supported(stated: int, claimed: int) -> None:
    verdict, reasons = _judged(f"The hall holds {claimed} wooden chairs.", f"The hall holds {stated} wooden chairs.")

    assert (verdict == "supported") is (stated == claimed)
    assert stated == claimed or f"the source says {stated} chairs" in reasons or f"{stated}" in reasons


@given(st.dates(date(1990, 1, 1), date(2040, 12, 31)), st.dates(date(1990, 1, 1), date(2040, 12, 31)))
@example(date(2000, 1, 1), SAID_ON.date())  # what the row says of itself stands in for no other day that it names
def test_any_other_date_in_a_copied_sentence_is_never_supported(stated: date, claimed: date) -> None:
    said = f"We signed the lease for the old mill on {stated.isoformat()}."
    verdict, _ = _judged(f"You signed the lease for the old mill on {claimed:%d %B %Y}.", said)

    assert (verdict == "supported") is (stated == claimed)


@pytest.mark.parametrize(
    ("claim", "is_added"),
    [
        ("You sold the old canoe after winning a prize.", True),
        ("You sold the old canoe with her generous cousin.", True),
        ("You sold the old canoe in May.", False),
        ("You sold the old canoe quickly yesterday morning.", False),
        ("You gave a lecture after winning a prize.", False),
    ],
)
def test_a_new_circumstance_at_the_end_of_a_held_statement_weighs_extra(claim: str, *, is_added: bool) -> None:
    found = words(claim)

    assert support_of(found, grounds(row("S1", "I sold the old canoe.")).passages).features.added == is_added


def test_a_speakers_name_tells_little() -> None:
    evidence = grounds(row("S1", "I sold the canoe.", speaker="Wilhelmina"))

    named, other = (support_of(words(f"{who} likes opera."), evidence.passages) for who in ("Wilhelmina", "Everybody"))
    assert named.best_recall < 0.3
    assert other.best_recall == 0


def test_quarters_and_weekdays_are_read_as_written() -> None:
    assert [(q.year, q.months.start) for q in quarters("Q3 2021, the fourth quarter, a quarter of it")] == [
        (2021, 7),
        (None, 10),
    ]
    assert weekdays("Mondays or on Friday") == {0: "Mondays", 4: "Friday"}
    assert weekday_of(DateMention(2023, 5, 8, "", 0, 0)) == 0
    assert weekday_of(DateMention(2023, 5, None, "", 0, 0)) is None


def test_on_a_weekday_may_be_the_past_or_the_coming_one() -> None:
    assert [mention[:3] for mention in relative_dates("on Tuesday", date(2023, 5, 8))] == [(2023, 5, 2), (2023, 5, 9)]
    assert relative_dates("on Tuesday", date(9999, 12, 31))[0][:3] == (9999, 12, 28)


@pytest.mark.parametrize(
    ("said", "quoted", "is_held"),
    [
        ("The mill grinds barley every single winter.", "grinds barley every single winter", True),
        ("The café grinds barley every single winter.", "grinds barley every single winter", True),
        ("The mill grinds barley every single winter.", "sells flour to every single tavern", False),
        ("The mill was never open.", "nothing in here was of the slightest use", False),
    ],
)
def test_words_in_quotation_marks_are_looked_for_in_every_row_that_may_hold_them(
    said: str, quoted: str, *, is_held: bool
) -> None:
    judged = judge_sentence(f'You said "{quoted}" of the mill.', grounds(row("S1", said)), THRESHOLD)

    assert ("quotation" in {finding.flag for finding in judged.findings}) is not is_held
