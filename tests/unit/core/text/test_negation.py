"""What a negation reaches, in words whose places do not move."""

from voice.core.text.words import negated, words


def test_a_letter_that_grows_when_it_is_made_small_moves_no_negation() -> None:
    text = "The bus to İzmir is not late"
    found = words(text)
    assert [found[index].key for scope in negated(text, found) for index in scope] == ["not", "late"]
