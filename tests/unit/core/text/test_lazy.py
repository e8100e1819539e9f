"""What was found out about a word is kept, and so many at most."""

from voice.core.text.lazy import Memo


def test_a_word_is_looked_into_once() -> None:
    asked: list[str] = []
    kept = Memo(lambda word: asked.append(word) or len(word), 8)
    assert [kept["kiln"], kept["kiln"], kept["oven"]] == [4, 4, 4]
    assert asked == ["kiln", "oven"]


def test_what_is_full_starts_afresh() -> None:
    kept = Memo(str.upper, 2)
    assert [kept[word] for word in ("a", "b", "c")] == ["A", "B", "C"]
    assert dict(kept) == {"c": "C"}
