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
    ("i went home. it was cold. what? Yes", ["i went home.", "it was cold.", "what?", "Yes"]),
    ("My (excited)+? regex line. It works.", ["My (excited)+? regex line.", "It works."]),
    ("Did it rain?! it did. Really? Yes.", ["Did it rain?! it did.", "Really?", "Yes."]),
    ("Fig. 3 shows it. Jan. 5 was cold.", ["Fig. 3 shows it.", "Jan. 5 was cold."]),
    ("What?! No way.", ["What?!", "No way."]),
    ("Flight Fri 12.9. 06:55. Gate 3.", ["Flight Fri 12.9. 06:55.", "Gate 3."]),
    ("Zahnarzt: 3.6. um 16 Uhr. Karte mitnehmen.", ["Zahnarzt: 3.6. um 16 Uhr.", "Karte mitnehmen."]),
    ("Siehe Absatz 3.6. Um 16 Uhr ging sie.", ["Siehe Absatz 3.6.", "Um 16 Uhr ging sie."]),
    ("It cost 9.95. 20 people came.", ["It cost 9.95.", "20 people came."]),
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
    (
        'Ada said "I bought a boat. It was cheap." Then she left.',
        ['Ada said "I bought a boat. It was cheap."', "Then she left."],
    ),
    ("“I bought it. It was cheap,” said Ada. Ben left.", ["“I bought it. It was cheap,” said Ada.", "Ben left."]),
    ("She said “Stop! Now!” and left. Ben stayed.", ["She said “Stop! Now!” and left.", "Ben stayed."]),
    ("Sie sagte: „Ich gehe. Bald.“ Er blieb.", ["Sie sagte: „Ich gehe. Bald.“", "Er blieb."]),
    ("“I bought it. It was cheap.” Then she left.", ["“I bought it.", "It was cheap.”", "Then she left."]),
    ('"Go." "Stay."', ['"Go."', '"Stay."']),
    ('A 5" pipe. A 6" pipe. Both leak.', ['A 5" pipe.', 'A 6" pipe.', "Both leak."]),
    ("Ada (born in 1980. in Oslo) left. Ben stayed.", ["Ada (born in 1980. in Oslo) left.", "Ben stayed."]),
    ("「行きます。でも遅れます。」と言った。次。", ["「行きます。でも遅れます。」と言った。", "次。"]),
    ("他说：「我走了。再见。」她留下。", ["他说：「我走了。再见。」", "她留下。"]),
    ("値は３．５です．次です．", ["値は３．５です．", "次です．"]),
    ("He left.She came.", ["He left.", "She came."]),
    ("We moved to Oslo.Then we left.", ["We moved to Oslo.", "Then we left."]),
    ("See file.txt and www.Then.org and a@b.It now.", ["See file.txt and www.Then.org and a@b.It now."]),
    ("Ask Dr.The or pandas.DataFrame x.y.The end.", ["Ask Dr.The or pandas.DataFrame x.y.The end."]),
    ("Ada moved.[S1] Ben left.² Carl stayed.[^3]", ["Ada moved.[S1]", "Ben left.²", "Carl stayed.[^3]"]),
    ("<b>Ada moved.</b> Ben left.", ["<b>Ada moved.</b>", "Ben left."]),
    ("**Ada moved.** _Ben left._ Carl.", ["**Ada moved.**", "_Ben left._", "Carl."]),
    ("I live on Main St. She lives in St. Ives.", ["I live on Main St.", "She lives in St. Ives."]),
    ("She left in Feb. and came in Mar. 2020.", ["She left in Feb. and came in Mar. 2020."]),
    ("The dog is 3 yrs. old. It barks.", ["The dog is 3 yrs. old.", "It barks."]),
    ("Release 1.5.2. is out.", ["Release 1.5.2. is out."]),
    ("• Ada moved • Ben left", ["• Ada moved", "• Ben left"]),
    ("| who | where |\n|---|---|\n| Ada | Oslo. Yes |", ["| who | where |", "|---|---|", "| Ada | Oslo.", "Yes |"]),
    ("Text\n```\nx = 1\ny = 2\n```\nend here", ["Text", "```", "x = 1\ny = 2", "```", "end here"]),
    ("one line\n---\nanother", ["one line", "---", "another"]),
    ("1. Ada moved\n2) Ben left\na) Carl", ["1. Ada moved", "2) Ben left", "a) Carl"]),
    ("Ada's boats:\n* the Mary\n* the Jane", ["Ada's boats:", "* the Mary", "* the Jane"]),
    ("She paid $3.50. It was 5 p.m. She left.", ["She paid $3.50.", "It was 5 p.m.", "She left."]),
    ("She met J. R. R. Tolkien, i.e. him.", ["She met J. R. R. Tolkien, i.e. him."]),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_a_text_is_cut_where_a_reader_would_cut_it(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_megabyte_without_a_stop_is_one_sentence() -> None:
    text = "word " * 200_000
    assert sentence_spans(text) == [(0, len(text) - 1)]
