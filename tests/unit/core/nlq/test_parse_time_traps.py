"""Sentences that only look like time, and how the context of a phrase decides."""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from voice.core.nlq.parse import parse_query

NOW = datetime(2025, 3, 12, 15, 30, tzinfo=UTC)


@dataclass(frozen=True)
class Row:
    id: str
    name: str
    aliases: tuple[str, ...] = ()
    entity_type: str = "concept"


def phrase(question: str, *known: str) -> str | None:
    rows = [Row(f"e:{at}", name) for at, name in enumerate(known)]
    time = parse_query(question, now=NOW, timezone="UTC", entities=rows).time
    return time.text if time else None


@pytest.mark.parametrize(
    "question",
    [
        "May I ask about the march to production?",
        "I want a second opinion",
        "What is my Sunday roast recipe?",
        "Any notes on Sunday roasts?",
        "What did I think of The Last of Us?",
        "How does it pay off in the long run?",
        "What did Autumn say about the lease?",
        "Did the vase fall over?",
        "Do I like the band Friday?",
        "Is Ruby Tuesday closed?",
        "What about Black-Friday deals?",
        "What are my spring cleaning rules?",
        "Is the paper tool named Today any good?",
        "What do I think of 'yesterday' by the Beatles?",
        "What do I think of “Last Christmas”?",
        "Is The Day After Tomorrow good?",
        "Did I see Last Week Tonight?",
        "Who stars in Saturday Night Live?",
        "What did I spill on Friday Harbor maps?",
        "What changed since April joined the team?",
        "What was there before May left?",
        "What is in May's garden?",
        "Do I miss the smell in spring rain?",
        "How was life after the fall of the wall?",
        "Did we march 5 miles?",
        "May 5 people come?",
        "What did I see in 2000 meters depth?",
        "Did I like 2001: A Space Odyssey?",
        "What is the last week of the tour called?",
        "How long until 5 people agree?",
        "Is 5 am too early?",
        "Is on Friday-night football?",
        "Do I own report-2024-03-05.csv?",
        "Which version is 3.11.2?",
        "Who works 24/7?",
        "What are the two-week sprint rules?",
        "Do I keep Fridays free?",
        "what about sunday roast",
        "What's on Fri menus?",
        "Did I do it in February March style?",
        "Who plays Wednesday in the Addams series?",
        "Did I see Friday the 13th?",
        "What's my Monday morning routine?",
        "How many days until Christmas?",
        "What do I want for Christmas?",
        "Wie viele Tage bis März?",
        "What did I see: - Friday at the zoo?",
        "What did I see at a Friday",
        "What happened in report-2024-W10?",
        "Is the today show any good?",
        "Did I like the last weeks of summer camp?",
        "Is rule 3 may be broken a riddle?",
        "Which 3/5 inch drives did I buy?",
        "Who plays on sat nav voices?",
        "Do I work Monday to Friday?",
        "Was ist der Sonntagsbraten?",
        "¿Qué dijo Domingo de la casa?",
        "What is the address 5 March Street?",
        "What is the 1st of May Street number?",
        "Where is 12 june court?",
        "How do you say tomorrow in Spanish?",
        "What's another word for yesterday?",
        "What comes before Monday in the list?",
        "How many days are there in February?",
        "How many Fridays are in March?",
        "Which holiday falls in December?",
        "What day of the week was 5 March 2024?",
        "When does summer start?",
        "What time does the shop open on Sunday?",
        "What is the price of tomorrow's bread brand?",
        "What was the 4th of July fireworks permit number?",
        "Days between 5 March and 10 April?",
        "Do roses bloom in June?",
        "What do I wear in winter?",
        "What is tomorrow-proof paint?",
        "Wie heißt gestern auf Englisch?",
        "Wo ist die Straße des 17. Juni?",
        "¿Cómo se dice ayer en inglés?",
        "¿Dónde está la calle 5 de Mayo?",
    ],
)
def test_what_only_looks_like_time_gets_no_window(question: str) -> None:
    assert phrase(question) is None
    assert phrase("What did I write yesterday?") is not None


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What did Codex say Friday?", "Friday"),
        ("How do I file yesterday's email?", "yesterday's"),
        ("What did I write on 5 March about Elm Street?", "on 5 March"),
        ("How many days did I run in March?", "in March"),
        ("What did Ana say yesterday about Spanish?", "yesterday"),
        ("Did the shop open on Sunday?", "on Sunday"),
        ("What time was yesterday's meeting?", "yesterday's"),
        ("What did Codex say Friday about it?", "Friday"),
        ("Friday?", "Friday"),
        ("What did I do Monday through Wednesday?", "Monday through Wednesday"),
        ("In March Sam moved where?", "In March"),
        ("What did I do in 2023 regarding taxes?", "in 2023"),
        ("What did I do in March related to taxes?", "in March"),
        ("What happened in March (the trip)?", "in March"),
        ("What did I plan in March last week?", "last week"),
        ("What happened in May – the trip?", "in May"),
        ("WHAT DID I EAT LAST WEEK", "LAST WEEK"),
        ("What Did I Eat Last Week?", "Last Week"),
        ("LAST MONTH what was said", "LAST MONTH"),
        ("Where was I on New Year's Eve?", "on New Year's Eve"),
        ("Yesterday's mistakes", "Yesterday's"),
        ("Last month’s proud moments", "Last month’s"),
        ("What did Sam say on Mon?", "on Mon"),
    ],
)
def test_the_context_lets_a_phrase_be_a_time(question: str, said: str) -> None:
    assert phrase(question) == said


@pytest.mark.parametrize(
    ("question", "known", "said"),
    [
        ("What did I feed on Friday?", "Friday", None),
        ("what did i feed on friday?", "Friday", "on friday"),
        ("What did I do in May?", "May", None),
        ("What did I do in May 2024?", "May", "in May 2024"),
        ("What did I say Friday?", "Friday", None),
        ("What did I do in March Ana?", "Ana", "in March"),
        ("What did I do in March Ana?", "Bob", None),
        ("Is Last Friday out?", "Last Friday", None),
    ],
)
def test_a_name_the_graph_knows_is_not_a_time(question: str, known: str, said: str | None) -> None:
    assert phrase(question, known) == said
