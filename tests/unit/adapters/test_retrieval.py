"""An answer of somebody else's provider is taken whole or not at all, before anything is fetched for it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from retrieval_doubles import Rows, StepClock, scoping_over
from retrieval_rows import observation, thought
from voice.adapters.retrieval import CheckedProvider
from voice.core.errors import EmbedderUnavailable, RetrievalProviderError
from voice.core.records import Table
from voice.core.retrieval.values import Found, Hit, RetrieveParams
from voice.ports.retrieval_provider import Embedding, ProviderAnswer, ProviderQuery, RetrievalProvider
from voice.services.retrieval.search import Retrieve

NAN, INF = float("nan"), float("inf")
HIT = Hit(row_id="t:1", table=Table.THOUGHTS, cosine=0.5, lexical=0.5)
FOUND = Found(hit=HIT, score=0.5, rank_score=0.5)
ANSWER = ProviderAnswer(found=(FOUND,), admitted={Table.THOUGHTS: 1}, matched={Table.THOUGHTS: 1})
Answering = Callable[[ProviderQuery], object]


@dataclass(frozen=True, slots=True)
class Foreign:
    """Answers what it is told to."""

    answering: Answering
    name: str = "foreign"
    is_deterministic: bool = True

    async def search(self, query: ProviderQuery) -> ProviderAnswer:
        return self.answering(query)  # pyright: ignore[reportReturnType] - what it answers is what is tested


@dataclass(frozen=True, slots=True)
class Only:
    """Knows one provider by whatever name."""

    provider: RetrievalProvider

    def names(self) -> tuple[str, ...]:
        return (self.provider.name,)

    def named(self, name: str) -> RetrievalProvider:
        del name
        return self.provider


def over(answering: Answering) -> tuple[Retrieve, Rows]:
    rows = Rows.of(thought("1", "Rain."), observation("1", "Sun."))
    provider = CheckedProvider(Foreign(answering), "foreign")
    providers = Only(provider)
    return Retrieve(store=rows, graph=rows, providers=providers, scoping=scoping_over(rows), clock=StepClock()), rows


def found(**changed: object) -> ProviderAnswer:
    return replace(ANSWER, found=(replace(FOUND, **changed),))


def hit(**changed: object) -> ProviderAnswer:
    return found(hit=replace(HIT, **changed))


def many(number: int) -> ProviderAnswer:
    return replace(ANSWER, found=tuple(replace(FOUND, hit=replace(HIT, row_id=f"t:{each}")) for each in range(number)))


ASKED = RetrieveParams(query="rain", provider="foreign", top_k=2)
WRONG: dict[str, tuple[object, str]] = {
    "None": (None, "no ProviderAnswer"),
    "no list": (replace(ANSWER, found=iter([FOUND])), "not a sequence of Found"),  # pyright: ignore[reportArgumentType]
    "ids alone": (replace(ANSWER, found=("t:1",)), "not a sequence of Found"),  # pyright: ignore[reportArgumentType]
    "no hit": (found(hit=None), "not a sequence of Found"),
    "a score that is none": (found(score=NAN), "a score is not a number from 0 to 1"),
    "a score without an end": (found(score=INF), "a score is not a number"),
    "a score above one": (found(score=99.0), "a score is not a number"),
    "a score below nought": (found(score=-5.0), "a score is not a number"),
    "a score in words": (found(score="0.5"), "a score is not a number"),
    "yes for a score": (found(score=True), "a score is not a number"),
    "a rank that is none": (found(rank_score=NAN), "a rank_score is not a number"),
    "a boost that is none": (found(boosts=(("recency", NAN),)), "a boost is not a number"),
    "a cosine that is none": (hit(cosine=NAN), "a cosine is not a number from -1 to 1"),
    "a cosine out of range": (hit(cosine=7.5), "a cosine is not a number"),
    "words out of range": (hit(lexical=-3.0), "a lexical score is not a number"),
    "another table": (hit(table=Table.OBSERVATIONS), "table is not the one its id says"),
    "an id of no table": (hit(row_id="x:1"), "table is not the one its id says"),
    "an id that is a number": (hit(row_id=1), "table is not the one its id says"),
    "a row twice": (replace(ANSWER, found=(FOUND, FOUND)), "a row appears twice"),
    "more than asked for": (many(7), "more rows of a table than the 6"),
    "a count in words": (replace(ANSWER, admitted={Table.THOUGHTS: "1"}), "counts"),  # pyright: ignore[reportArgumentType]
    "a count below nought": (replace(ANSWER, matched={Table.THOUGHTS: -1}), "counts"),
    "counts of what is no table": (replace(ANSWER, matched={"pages": 1}), "counts"),  # pyright: ignore[reportArgumentType]
    "no counts": (replace(ANSWER, admitted=None), "counts"),  # pyright: ignore[reportArgumentType]
    "no encoder": (replace(ANSWER, embedding=None), "which encoder"),  # pyright: ignore[reportArgumentType]
    "an encoder of no size": (replace(ANSWER, embedding=Embedding(dim=-5)), "which encoder"),
}


@pytest.mark.requirement("s4:provider:custom", "promise:6")
@pytest.mark.parametrize(("answer", "fault"), WRONG.values(), ids=list(WRONG))
async def test_an_answer_that_breaks_the_contract_is_an_error_that_names_the_provider_and_nothing_is_fetched(
    answer: object, fault: str
) -> None:
    retrieve, rows = over(lambda _: answer)
    with pytest.raises(RetrievalProviderError) as caught:
        await retrieve(ASKED)
    assert "the retrieval provider foreign broke its contract" in caught.value.message
    assert fault in caught.value.message
    assert caught.value.code == "retrieval_provider_error"
    assert rows.fetched == []


@pytest.mark.requirement("s0:performance:candidate-cap", "ruling:A15")
async def test_one_that_ignores_the_limit_does_not_have_everything_fetched() -> None:
    retrieve, rows = over(lambda _: many(800))
    with pytest.raises(RetrievalProviderError, match="more rows of a table than the 6"):
        await retrieve(ASKED)
    assert rows.fetched == []
    retrieve, rows = over(lambda query: many(query.limit))
    await retrieve(ASKED)
    assert len(rows.fetched) == 6


@pytest.mark.requirement("s4:provider:custom", "s0:error:no-leak", "promise:6")
async def test_what_it_raises_is_told_by_its_kind_and_none_of_its_words() -> None:
    def fail(query: ProviderQuery) -> object:
        raise LookupError(f"cannot find {query.text}")

    with pytest.raises(RetrievalProviderError, match=r"foreign failed \(LookupError\)") as caught:
        await over(fail)[0](ASKED)
    assert "rain" not in f"{caught.value!r}"
    assert caught.value.__cause__ is None


async def test_an_error_of_ours_is_passed_on_as_it_is() -> None:
    def fail(query: ProviderQuery) -> object:
        raise EmbedderUnavailable("the encoder does not answer")

    with pytest.raises(EmbedderUnavailable):
        await over(fail)[0](ASKED)


async def test_what_keeps_the_contract_is_passed_on_as_it_is() -> None:
    provider = CheckedProvider(Foreign(lambda _: ANSWER), "foreign")
    selection = await over(lambda _: ANSWER)[0](ASKED)
    assert [one.id for one in selection.snippets] == ["t:1"]
    assert provider.is_deterministic
    assert not CheckedProvider(Foreign(lambda _: ANSWER, is_deterministic=False), "x").is_deterministic
