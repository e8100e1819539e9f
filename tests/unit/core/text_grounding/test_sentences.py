"""Where sentences begin and end (rulings C12, C13)."""

import pytest

from voice.core.text.sentences import sentence_spans, sentences

CASES: list[tuple[str, list[str]]] = [
    ("Dr. Smith met J. R. Smith at 5 p.m. He left.", ["Dr. Smith met J. R. Smith at 5 p.m.", "He left."]),
    ("See No. 5. It is new.", ["See No. 5.", "It is new."]),
    ("She said no. Then she left.", ["She said no.", "Then she left."]),
    ("It costs 3.14 euros. Cheap!", ["It costs 3.14 euros.", "Cheap!"]),
    ("Version v1.2.3 is out. Good.", ["Version v1.2.3 is out.", "Good."]),
    ("See https://a.b/c.d?x=1. Done", ["See https://a.b/c.d?x=1.", "Done"]),
    ("Use fruit, e.g. apples. Fine.", ["Use fruit, e.g. apples.", "Fine."]),
    ("The U.S. economy grew. In the U.S. The end.", ["The U.S. economy grew.", "In the U.S.", "The end."]),
    ("Apple Inc. Shares rose. Apple Inc. The firm", ["Apple Inc. Shares rose.", "Apple Inc.", "The firm"]),
    ("I was... tired. But ok… Then we left.", ["I was... tired.", "But ok…", "Then we left."]),
    ("“Really?” she asked. (It was.) Next.", ["“Really?” she asked.", "(It was.)", "Next."]),
    ('He said "stop." Then left.', ['He said "stop."', "Then left."]),
    ("Points:\n- one. two\n- three\n\nEnd", ["Points:", "- one.", "two", "- three", "End"]),
    ("1. First thing. 2. Second thing.", ["1. First thing.", "2. Second thing."]),
    ("今日は晴れ。明日は雨！本当？「はい。」そう", ["今日は晴れ。", "明日は雨！", "本当？", "「はい。」", "そう"]),
    ("मैं आया। वह गया।", ["मैं आया।", "वह गया।"]),
    ("Great! 🎉 See you. 😀😀 ok", ["Great! 🎉", "See you. 😀😀", "ok"]),
    ("i went home. it was cold. what? yes", ["i went home.", "it was cold.", "what?", "yes"]),
    ("Fig. 3 shows it. Jan. 5 was cold.", ["Fig. 3 shows it.", "Jan. 5 was cold."]),
    ("What?! No way.", ["What?!", "No way."]),
    ("# Title\nBody starts here", ["# Title", "Body starts here"]),
    ("Bought milk\nCalled Anna", ["Bought milk", "Called Anna"]),
    ("Bought milk and then\nwent home", ["Bought milk and then\nwent home"]),
    (
        "This long line was wrapped by an editor at a fixed column when\nParis came up. Yes.",
        ["This long line was wrapped by an editor at a fixed column when\nParis came up.", "Yes."],
    ),
    ("first line\r\n\r\nsecond line", ["first line", "second line"]),
    ("", []),
    (" \n\t ", []),
    ("...", ["..."]),
    ("Two points: 1. Do this. 2. Do that.", ["Two points: 1. Do this.", "2. Do that."]),
    ("🎉", ["🎉"]),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_text_is_cut_where_a_reader_would_cut_it(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_megabyte_without_a_stop_is_one_sentence() -> None:
    text = "word " * 200_000
    assert sentence_spans(text) == [(0, len(text) - 1)]
