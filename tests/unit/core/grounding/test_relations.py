"""Who is whose what: told from the other side it is the same, with the sides changed it is not (ruling D1)."""

import pytest

from grounding_rows import UNDATED, grounds, row
from voice.core.grounding.claims import judge_sentence
from voice.core.grounding.passages import all_passages
from voice.core.grounding.relations import relation_findings
from voice.core.text.words import words


def _judged(claim: str, *sources: str) -> str:
    rows = [row(f"S{n}", source, at=UNDATED) for n, source in enumerate(sources, 1)]
    return judge_sentence(claim, grounds(*rows), 1.65).verdict


def _effects(claim: str, *sources: str) -> list[str]:
    rows = [row(f"S{n}", source, at=UNDATED) for n, source in enumerate(sources, 1)]
    passages = [passage for one in rows for passage in all_passages(one)]
    return [one.effect for one in relation_findings(claim, words(claim), passages)]


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Lena is Otto's wife.", "Lena's husband is Otto."),
        ("Otto's wife is Lena.", "Lena's husband Otto bakes."),
        ("Otto is married to Lena.", "Lena's husband is Otto."),
        ("Lena is Otto's wife.", "Otto got married to Lena in 2012."),
        ("Nora is Walter's daughter.", "Walter is Nora's father."),
        ("Walter is the father of Nora.", "Nora is Walter's daughter."),
        ("Paul is Clara's nephew.", "Clara is Paul's aunt."),
        ("Clara is Paul's sister.", "Paul is Clara's brother."),
        ("Rustam is your student.", "I'm Rustam's teacher."),
        ("You are Rustam's teacher.", "I am Rustam's teacher."),
        ("You're Rustam's teacher.", "I am Rustam's teacher."),
        ("You are married to Lena.", "My wife Lena bakes."),
        ("Lena is your wife.", "My old wife Lena bakes."),
        ("Lena's husband is Otto.", "Lena: My husband Otto bakes."),
        ("Dr. Ana Silva is Otto's boss.", "Otto's boss, Ana Silva, bakes."),
        ("Clara, Paul's aunt, bakes.", "Paul's aunt is called Clara. She bakes."),
    ],
)
def test_a_relation_told_from_the_other_side_is_the_same(claim: str, source: str) -> None:
    assert _effects(claim, source) == []
    assert _judged(claim, source) != "contradicted"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Lena is Otto's husband.", "Lena's husband is Otto."),
        ("Otto's husband is Lena.", "Lena's husband is Otto."),
        ("Walter's father is Nora.", "Walter is Nora's father."),
        ("Nora is the father of Walter.", "Walter is the father of Nora."),
        ("Walter is Nora's son.", "Walter is Nora's father."),
        ("Nora is Walter's son.", "Walter is Nora's father."),
        ("Clara is Paul's brother.", "Paul is Clara's brother."),
        ("You are Lena's wife.", "My wife Lena bakes."),
        ("Rustam is your teacher.", "I am Rustam's teacher."),
        ("Otto is Ana's boss.", "Otto's boss is Ana."),
        ("Otto is the tenant of Ana.", "Otto is the landlord of Ana."),
    ],
)
def test_the_sides_of_a_relation_do_not_change_places(claim: str, source: str) -> None:
    assert _effects(claim, source) == ["contradicted"]
    assert _judged(claim, source) == "contradicted"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "sources"),
    [
        ("Lena is your sister.", ("My wife Lena bakes.",)),
        ("Otto is Ana's husband.", ("Otto is Ana's boss.",)),
        ("You bake.", ("My wife Lena bakes.",)),
        ("Otto lives in Bergen.", ("Otto's boss lives in Bergen.",)),
        ("Otto lives in Bergen.", ("The aunt of Otto lives in Bergen.",)),
    ],
)
def test_another_relation_and_a_relatives_deed_are_not_what_the_source_says(
    claim: str, sources: tuple[str, ...]
) -> None:
    assert _effects(claim, *sources) == ["unsupported"]


@pytest.mark.parametrize(
    ("claim", "sources"),
    [
        ("Otto is Ana's husband.", ("Otto is Ana's boss.", "They married in May: the husband is the boss.")),
        ("Otto is Ana's boss.", ("Otto is Ana's boss.", "Ana is Otto's sister.")),
        ("Otto is Ana's boss.", ("Is Ana the boss of Otto?",)),
        ("Otto is Ana's boss.", ("Otto's former boss is Ana.",)),
        ("Otto is Ana's boss.", ("Otto's mother's boss is Ana.",)),
        ("Otto is Ana's boss.", ("Otto, the mother is Ana's boss.", "The boss of Otto's friend is Ana.")),
        ("Otto is Ana's boss.", ("You are my boss, Ana.", "Your boss is Otto.", "A boss of mine is Ana's friend.")),
        ("Otto is Ana's boss.", ("His boss is Ana.", "Otto - boss.", "A good boss.", "Boss of Otto")),
        ("Ana is Otto's wife.", ("Ana married.", "Married Otto is happy.", "Otto and Ana are married.")),
        (
            "You are Lena's wife.",
            ("Otto: You are Lena's wife.", "Somebody married me.", "Lena's husband's wife is Eva."),
        ),
        ("Otto got a raise.", ("Otto's boss gave him a raise.",)),
        ("Otto lives in Bergen.", ("Otto's boss lives in Bergen with Otto.",)),
        ("Otto lives in Bergen.", ("Otto's boss lives in Bergen.", "Otto lives in Bergen with her.")),
        ("Otto lives in Bergen.", ("With Otto's boss lives a dog in Bergen.", "Otto's bosses live in Bergen.")),
        ("Eva lives in Bergen.", ("Otto's boss lives in Bergen.",)),
        ("Otto's boss bakes.", ("Otto's boss bakes.",)),
        ("Bakes.", ("Otto's boss bakes.",)),
    ],
)
def test_where_a_side_is_not_certain_nothing_is_decided(claim: str, sources: tuple[str, ...]) -> None:
    assert _effects(claim, *sources) == []


def test_who_is_married_to_the_one_who_asks_is_told_both_ways() -> None:
    assert _effects("You are Otto's wife.", "Otto is married to me.") == []
    assert _effects("Otto is your husband.", "Otto married me.") == []


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "true", "false"),
    [
        (
            "My sister's husband Raul lost his job.",
            "Your sister's husband Raul lost his job.",
            "Your husband Raul lost his job.",
        ),
        ("My boss's wife Tara bakes bread.", "Your boss's wife Tara bakes bread.", "Your wife Tara bakes bread."),
        ("My mum's doctor is Elke.", "Elke is your mum's doctor.", "Elke is your doctor."),
        (
            "My husband Raul lost his job.",
            "Your husband Raul lost his job.",
            "Your sister's husband Raul lost his job.",
        ),
    ],
)
def test_what_somebody_is_to_a_relative_they_are_not_to_who_asks(source: str, true: str, false: str) -> None:
    assert _effects(true, source) == []
    assert _judged(true, source) == "supported"
    assert _effects(false, source) == ["unsupported"]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Your mother Eva lives in Ulm.", "My sister's mother Eva lives in Ulm."),
        ("Your nephew Karl paints.", "My wife's nephew Karl paints."),
        ("Your husband Raul paints.", "Anna's husband Raul paints."),
        ("Your wife Tara paints.", "My boss's sister Tara paints."),
    ],
)
def test_whom_one_shares_with_a_relative_may_be_ones_own(claim: str, source: str) -> None:
    assert _effects(claim, source) == []
