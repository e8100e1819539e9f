"""Questions: limits, stance, and reference to the previous question.

Law: a stance changes prompt and temperature, not the contract. A follow-up is searched with the previous question, but
judged by its own words plus the previous topics, without its names: "And Tom?" does not ask about Ada (ruling D5).
Source: DESIGN 1; rulings A5, D5, G; spec stateful-design-v2, 6 (0.8); spec nlq, 7 (0.2).
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from voice.core.answering.question_form import small_talk_reply, term_weights
from voice.core.errors import InvalidParams
from voice.core.grounding.extractive.answer_composition import task_search_words
from voice.core.grounding.extractive.evidence_sentences import asked_names, proper_names, speaker_of
from voice.core.grounding.extractive.question_fit import answer_types, holds_amount
from voice.core.grounding.values import Evidence, Stance
from voice.core.messages import asking as messages
from voice.core.text.language_data import every_phrase, every_word, opening_phrase
from voice.core.text.lazy import late_pattern
from voice.core.text.normalise import clean_text, norm_v1
from voice.core.text.words import stem_of, stems_in, words

PROMPT_OF_STANCE = {Stance.SYNTHESIZE: "answer", Stance.CHALLENGE: "challenge", Stance.QUESTION: "question"}
TEMPERATURE_OF_STANCE = {Stance.SYNTHESIZE: 0.2, Stance.CHALLENGE: 0.8, Stance.QUESTION: 0.8}


def temperature_of(stance: Stance, setting: float | None) -> float:
    """Return the temperature: the setting, or the stance's default (ruling A5)."""
    return TEMPERATURE_OF_STANCE[stance] if setting is None else setting


_STANDS_ALONE = 2  # number of content terms and entities from which a question is never a follow-up
_A_WORD = late_pattern(r"\p{L}{2}")  # "?!" or "7" has no word and refers to nothing


def is_follow_up(question: str, *, content_terms: int, is_timed: bool = False) -> bool:
    """Return whether a question needs the previous one to be understood.

    It has no content ("Why?"), or little and points back ("And Tom?", "When was that?"). Questions with a subject, for
    all tasks or for everything at a named time stand alone; greetings ask nothing.

    Args:
        question: without its time.
        content_terms: number of content terms and named entities.
    """
    if _is_one_of("tasks", "tasks", question) or (is_timed and _is_one_of("follow_ups", "all_then", question)):
        return False
    if small_talk_reply(question) is not None:  # "Thanks!" has no content either
        return False
    if _A_WORD.search(question) is None or content_terms >= _STANDS_ALONE:
        return False
    return content_terms == 0 or points_back(question)


def _is_one_of(area: str, key: str, question: str) -> bool:
    return " ".join(word.key for word in words(question)) in every_word(area, key)


def points_back(question: str) -> bool:
    """Return whether a question refers back, however much it says itself ("What did I pay for it?")."""
    opens = opening_phrase("follow_ups", "opens").match(question)
    return bool(opens or every_phrase("follow_ups", "points").search(question))


def only_points_back(question: str) -> bool:
    """Return whether a question refers back and contains no proper name: "Did she send it?"."""
    return points_back(question) and not proper_names(question, words(question))


def asks_only_why(question: str) -> bool:
    """Return whether a question asks why and says nothing else: "Why?"."""
    return _is_one_of("follow_ups", "why", question)


def search_text(question: str, *, previous: str | None) -> str:
    """Return the search text: the question's words and, for a follow-up, the previous question's."""
    texts = (previous, question, task_search_words(question))
    return "\n".join(filter(None, texts))


def judged_text(question: str, *, previous: str | None, evidence: Sequence[Evidence], names: Iterable[str]) -> str:
    """Return what evidence and draft are judged by: the question, and a follow-up's topics, which no names are."""
    if previous is None:
        return question
    topics = _topics(previous, evidence, names)
    return f"{question}\n{' '.join(topics)}" if topics else question


def _topics(previous: str, evidence: Sequence[Evidence], names: Iterable[str]) -> list[str]:
    """Return the distinct content words of a question in lower case, without names and numbers."""
    found = words(previous)
    named = {word.key for word in asked_names(previous, found, evidence)}
    known = (*names, *(speaker_of(row) or "" for row in evidence))
    named |= {word.key for name in known for word in words(name) if word.is_capital}
    topics = (word.text.lower() for word in found if not word.is_stop and not word.is_number and word.key not in named)
    return list(dict.fromkeys(topics))


def repeats_answer(question: str, answer: Sequence[str], *, previous: str, before: Sequence[str]) -> bool:
    """Return whether a question that refers back got the previous answer's first sentence again, "Why?" nothing else.

    False if the answer contains a topic word of the question's own ("Is it in Vestby?"), an amount of the kind that is
    asked for or, of a question without a topic, two words that follow on each other ("And what do I get him?": "Get him
    a scale."). `answer` and `before`, the previous one, are sentences.
    """
    is_why = asks_only_why(question)
    if norm_v1(question) == norm_v1(previous) or not (is_why or points_back(question)):
        return False
    # "Why?" must not get the same again in any part; of another question the first sentence answers.
    compared = [_without_items(told) if is_why else told[:1] for told in (answer, before)]
    now, then = ([norm_v1(each) for each in told] for told in compared)
    topics, text = term_weights(question).keys(), " ".join(answer)
    own = topics & stems_in(text) if topics else _adjacent_stems(question) & _adjacent_stems(text)
    is_amount = any(kind != "time" and holds_amount(kind, text) for kind in answer_types(question))
    return bool(now) and now == then and not (own or is_amount)


def _adjacent_stems(text: str) -> frozenset[tuple[str, str]]:
    """Return the stems of every two words that follow on each other, small words' too."""
    return frozenset(pairwise(stem_of(word.key) for word in words(text)))


def _without_items(told: Sequence[str]) -> list[str]:
    """Return sentences without the items of a list: what stands beside an answer is no reason for it."""
    return [each for each in told if not each.lstrip().startswith("- ")]


MAX_QUESTION_CHARS = 20_000


def require_question(text: str) -> str:
    """Return the cleaned question. Raises InvalidParams: it is empty or longer than `MAX_QUESTION_CHARS`."""
    question = clean_text(text).strip()
    if not norm_v1(question):
        raise InvalidParams(messages.QUESTION_EMPTY)
    if len(question) > MAX_QUESTION_CHARS:
        raise InvalidParams(messages.question_too_long(len(question), MAX_QUESTION_CHARS))
    return question
