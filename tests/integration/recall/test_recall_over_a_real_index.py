"""Recall as the contract's own tests ask for it, and what its origin got wrong, wired as the program wires it."""

import json

import pytest

from played_turns import NOW, tell
from present import present
from voice.bootstrap import Services
from voice.core.errors import ScopeRequired
from voice.core.recall.params import RecallRequest
from voice.core.recall.pins import PinRequest
from voice.core.recall.values import RecallResult
from voice.core.records import Scope
from voice.core.render.recall import render_recall
from voice.core.token_estimates import estimate_tokens

REPO = Scope(repo_id="/repo")
LOGIN = "Fixed the authentication bug in login.py; the token expired too early."
CPP = "Rewrote the parser in C++ because the old one was slow."
PORT = "昨日、港でログインの問題を直した。"
DASH = "The auth-bug label is on the wall."
PROVIDERS = ("local-fts", "local-hybrid", "local-vector")


async def recall(services: Services, query: str, **members: object) -> RecallResult:
    request = RecallRequest(query=query, **{"now": NOW, **members})  # pyright: ignore[reportArgumentType]
    return await services.recall(request)


def contents(result: RecallResult) -> list[str]:
    return [one.entity.content for one in result.candidates]


@pytest.mark.requirement("s4:test:determinism", "s4:determinism", "s4:performance:no-cache")
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_two_identical_recalls_are_the_same_bytes(services: Services, provider: str) -> None:
    await tell(services, LOGIN, CPP, PORT)
    forms = [json.dumps(render_recall(await recall(services, "auth bug", provider=provider))) for _ in range(3)]
    assert len(set(forms)) == 1
    await tell(services, DASH)
    assert DASH in contents(await recall(services, "auth bug", provider=provider))


@pytest.mark.requirement("s4:test:scoping", "s4:scope:and", "ruling:A18")
async def test_two_sessions_share_no_candidate(services: Services) -> None:
    await tell(services, "The auth bug of one.", scope=Scope(session_id="s1", repo_id="/repo"))
    await tell(services, "The auth bug of two.", scope=Scope(session_id="s2", repo_id="/repo"))
    one = await recall(services, "auth", scope=Scope(session_id="s1"))
    two = await recall(services, "auth", scope=Scope(session_id="s2"))
    both = await recall(services, "auth", scope=REPO)
    assert (contents(one), contents(two)) == (["The auth bug of one."], ["The auth bug of two."])
    assert len(contents(both)) == 2
    assert contents(await recall(services, "auth", scope=Scope(session_id="s1", repo_id="/other"))) == []
    with pytest.raises(ScopeRequired):
        await recall(services, "auth")


@pytest.mark.requirement("s4:test:truncation", "s4:budget:flag", "s4:budget:count-fixed")
async def test_a_result_stays_within_its_budget_and_says_that_it_was_truncated(services: Services) -> None:
    stored = await tell(services, *(f"Auth note {n}: the authentication bug came back again." for n in range(60)))
    await services.pins.pin(PinRequest(target_id=stored[0], reason="the first"))
    result = await recall(services, "authentication bug", token_budget=300)
    told = [*(pin.target for pin in result.pins), *(one.entity for one in result.candidates)]
    assert sum(estimate_tokens(entity.content) for entity in told) == result.provenance.tokens_used <= 300
    assert result.provenance.truncated_due_to_token_budget
    assert len(result.pins) == 1 < len(result.candidates) < 50


@pytest.mark.requirement("ruling:G.1", "ruling:G.2a", "ruling:G.2f")
@pytest.mark.parametrize("provider", ["local-fts", "local-hybrid"])
async def test_what_the_origin_could_not_find_is_found(services: Services, provider: str) -> None:
    await tell(services, LOGIN, CPP, PORT, DASH)
    for query, found, match in (
        ("authentication bug?", LOGIN, "authentication bug"),
        ("what's the authentication bug", LOGIN, "authentication bug"),
        ("login.py", LOGIN, "login.py"),
        ("C++", CPP, "C++"),
        ("ログイン", PORT, "ログイン"),
        ("auth-bug", DASH, "auth-bug"),
    ):
        best = (await recall(services, query, provider=provider)).candidates[0]
        assert best.entity.content == found
        assert match in present(best.match_context)


@pytest.mark.requirement("ruling:G.2a")
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_any_string_is_a_query(services: Services, provider: str) -> None:
    await tell(services, LOGIN)
    for query in ("", " ", '"', "((", "AND OR NOT", "a" * 100_000, "💥", "'; DROP", "\x00\x07", "\ud800"):
        assert json.dumps(render_recall(await recall(services, query, provider=provider))).encode()
