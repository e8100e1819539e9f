"""The calibrated sum, and who a question names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voice.core.records import Table
from voice.core.retrieval.ranking import (
    DEFAULT_PROFILE,
    WORDS_UNIT,
    FusionProfile,
    fusion_profile,
    hit_boosts,
    named_speaker,
    own_score,
    rank_score,
)
from voice.core.retrieval.values import Hit

PROFILE = FusionProfile(vector=0.25, lexical=0.75, speaker=0.1, neighbour=0.5)


def hit(cosine: float | None = None, lexical: float = 0.0, *, neighbour: float = 0.0, spoke: bool = False) -> Hit:
    return Hit(
        row_id="t:a", table=Table.THOUGHTS, cosine=cosine, lexical=lexical, neighbour=neighbour, is_speaker=spoke
    )


def test_a_bm25_score_of_one_unit_weighs_as_much_as_a_cosine_of_one() -> None:
    as_share = WORDS_UNIT / (WORDS_UNIT + WORDS_UNIT)
    assert own_score(1.0, 0.0, (0.5, 0.5)) == own_score(None, as_share, (0.5, 0.5)) == 0.5


@pytest.mark.parametrize("cosine", [None, 0.0, -0.4])
def test_what_points_elsewhere_counts_as_no_vector(cosine: float | None) -> None:
    assert own_score(cosine, 0.2, (0.3, 0.7)) == own_score(None, 0.2, (0.3, 0.7))


@given(st.floats(0, 1), st.floats(0, 0.99), st.floats(0, 0.99))
def test_more_matching_words_never_lower_a_score(cosine: float, fewer: float, more: float) -> None:
    low, high = sorted((fewer, more))
    assert own_score(cosine, low, PROFILE.weights) <= own_score(cosine, high, PROFILE.weights)


def test_boosts_are_named_and_only_those_that_count_are_given() -> None:
    assert hit_boosts(hit(), PROFILE) == ()
    assert hit_boosts(hit(neighbour=0.4, spoke=True), PROFILE) == (("neighbour", 0.2), ("speaker", 0.1))


@pytest.mark.requirement("ruling:G.2b")
def test_the_rank_score_is_the_own_score_and_the_boosts_to_six_places() -> None:
    found = hit(0.5, 0.5, neighbour=1 / 3, spoke=True)
    assert rank_score(found, PROFILE.weights) == 0.875
    assert rank_score(found, PROFILE.weights, hit_boosts(found, PROFILE)) == 1.141667


@pytest.mark.requirement("ruling:C4")
def test_a_model_that_was_not_calibrated_has_the_default_profile() -> None:
    assert fusion_profile("somebody/else") == DEFAULT_PROFILE
    assert sum(fusion_profile("all-MiniLM-L6-v2-int8").weights) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("What did Caroline paint?", "Caroline"),
        ("what's caroline's favourite colour", "Caroline"),
        ("When did Mary Ann call?", "Mary Ann"),
        ("What did Caroline tell Bob?", None),
        ("Who painted it?", None),
        ("Did Carolines call?", None),
        ("Mary and Ann", None),
        ("Где была Анна?", "Анна"),
        ("When did I plan the trip?", None),
    ],
)
def test_the_one_person_a_question_names(question: str, name: str | None) -> None:
    assert named_speaker(question, ["Caroline", "Bob", "Mary Ann", "Анна", ""]) == name


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("When did I plan the trip?", "user"),
        ("What's my budget?", "user"),
        ("Wann war meine Prüfung?", "user"),
        ("When is the exam?", None),
        ("What did Ada tell me?", "Ada"),
    ],
)
def test_a_question_in_the_first_person_is_about_the_user_of_a_chat(question: str, name: str | None) -> None:
    assert named_speaker(question, ["assistant", "user", "Ada"]) == name
