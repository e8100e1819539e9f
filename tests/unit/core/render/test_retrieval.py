"""A selection as S0's answer, and as the account of how it was chosen."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from jsonschema import ValidationError

from retrieval_rows import candidate, entity, observation, observations, thought, thoughts
from told_events import require_schema
from voice.core.records import Origin, Table
from voice.core.render.retrieval import render_explain, render_retrieve
from voice.core.retrieval.selection import SearchFacts, select
from voice.core.retrieval.values import RetrieveParams, Selection, Window
from voice.core.text.instants import render_instant

FACTS = SearchFacts(provider="local", model="tiny", dim=8)


def _plain(selection: Selection) -> dict[str, Any]:
    form = render_retrieve(selection)
    require_schema(form, "retrieve")
    return form


def _explained(selection: Selection) -> dict[str, Any]:
    form = render_explain(selection)
    require_schema(form, "retrieve-explain")
    return form


def _full() -> Selection:
    found = [
        *thoughts(12),
        *observations(12),
        candidate(entity("ada", "Ada", "my sister"), 0.95, lexical=0.3),
        candidate(thought("d", "observation 000", origin=Origin.MODEL), 0.99),
        candidate(thought("low"), 0.01),
    ]
    boosted = replace(found[0], boosts=(("speaker", 0.06),))
    return select(RetrieveParams(query="q", warnings=("mix 2 is out of range",)), [boosted, *found[1:]], FACTS)


@pytest.mark.requirement(
    "s0:output:schema", "s0:acceptance:schema", "ruling:A9", "s0:purpose:structured-only", "s0:output:latency_ms"
)
def test_the_answer_has_the_members_of_the_spec_and_no_others() -> None:
    form = _plain(_full())
    assert list(form) == ["snippets", "diagnostics"]
    snippet = "id table source_type origin trust_tier created_at text score content_hash span_start span_end"
    assert " ".join(form["snippets"][0]) == snippet
    diagnostics = "provider model dim k_req k_ret kg_candidates thought_candidates floor_used latency_ms"
    assert " ".join(form["diagnostics"]) == diagnostics


@pytest.mark.requirement(
    "s0:output:id", "s0:output:table", "s0:output:source_type", "s0:output:trust_tier", "s0:output:created_at"
)
def test_a_snippet_says_what_the_row_is() -> None:
    (form,) = _plain(select(RetrieveParams(query="q"), [candidate(entity("ada", "Ada", "x"), 0.7)], FACTS))["snippets"]
    assert (form["id"], form["table"], form["source_type"]) == ("e:ada", "kg_entities", "kg_entity")
    assert (form["origin"], form["trust_tier"], form["created_at"]) == ("human", "green", "2026-03-05T14:00:00Z")
    assert (form["text"], form["score"]) == ("Ada (person): x", 0.7)


@pytest.mark.requirement("s0:empty:no_candidates", "ruling:A9")
def test_an_empty_answer_says_why_and_a_full_one_does_not() -> None:
    empty = _plain(select(RetrieveParams(query="q"), [], FACTS))
    assert empty["snippets"] == []
    assert (empty["diagnostics"].get("no_results"), empty["diagnostics"].get("reason")) == (True, "no_candidates")
    assert "no_results" not in _plain(_full())["diagnostics"]


@pytest.mark.requirement("ruling:A9", "promise:9")
def test_the_explain_form_is_a_superset() -> None:
    selection = _full()
    plain, explained = _plain(selection), _explained(selection)
    for short, long in zip(plain["snippets"], explained["snippets"], strict=True):
        assert short.items() <= {key: long[key] for key in short}.items()
    assert plain["diagnostics"].items() <= explained["diagnostics"].items()


@pytest.mark.requirement("ruling:I1", "ruling:A9")
def test_the_explain_form_says_where_a_statement_stands_and_who_said_a_message_beside_its_own_words() -> None:
    placed = replace(observation("fenn", "Still waiting on Fenn."), context_path=("2024-05-04", "Greenhouse"))
    said = replace(thought("m", "Come at six."), speaker="Paul", thread="whatsapp/Family")
    found = [candidate(placed, 0.8), candidate(said, 0.7), candidate(entity("ada", "Ada", "x"), 0.6)]
    forms = _explained(select(RetrieveParams(query="q"), found, FACTS))["snippets"]
    assert [(form["text"], form["speaker"], form["thread"], form["context_path"]) for form in forms] == [
        ("Still waiting on Fenn.", None, None, ["2024-05-04", "Greenhouse"]),
        ("Come at six.", "Paul", "whatsapp/Family", []),
        ("Ada (person): x", None, None, []),
    ]


@pytest.mark.requirement("promise:9", "ruling:C8", "ruling:C3")
def test_the_explain_form_shows_arms_floors_places_doubles_and_what_was_left_out() -> None:
    form = _explained(_full())
    by_id = {snippet["id"]: snippet for snippet in form["snippets"]}
    assert (by_id["e:ada"]["cosine"], by_id["e:ada"]["lexical"]) == (0.95, 0.3)
    assert by_id["o:000"]["also_in"] == ["t:d"]
    assert by_id["t:000"]["boosts"] == [{"name": "speaker", "value": 0.06}]
    diagnostics = form["diagnostics"]
    assert (diagnostics["kg_slots"], diagnostics["thought_slots"], diagnostics["backfilled"]) == (6, 4, 0)
    assert diagnostics["warnings"] == ["mix 2 is out of range"]
    reasons = {dropped["id"]: dropped["reason"] for dropped in form["dropped"]}
    assert (reasons["t:low"], reasons["t:d"]) == ("below_floor", "duplicate")
    assert next(dropped.get("of") for dropped in form["dropped"] if dropped["id"] == "t:d") == "o:000"


@pytest.mark.requirement("promise:9", "ruling:A15")
def test_the_explain_form_says_how_much_was_searched_and_how_the_time_was_understood() -> None:
    facts = replace(
        FACTS,
        candidate_limit=30,
        admitted={Table.THOUGHTS: 9, Table.ENTITIES: 2},
        matched={Table.THOUGHTS: 4},
        found={Table.THOUGHTS: 4, Table.RELATIONS: 1},
    )
    window = Window(start=datetime(2026, 3, 1, tzinfo=UTC))
    asked = RetrieveParams(query="q", when="since Sunday", window=window)
    diagnostics = _explained(select(asked, thoughts(3), facts))["diagnostics"]
    assert diagnostics["candidate_limit"] == 30
    assert diagnostics["searched"] == [
        {"table": "kg_entities", "admitted": 2, "matched": 0},
        {"table": "thoughts", "admitted": 9, "matched": 4},
    ]
    assert (diagnostics["kg_candidates"], diagnostics["thought_candidates"]) == (1, 4)
    assert diagnostics["time"] == {"asked": "since Sunday", "from": "2026-03-01T00:00:00Z", "to": None}
    assert _explained(_full())["diagnostics"]["time"] is None


def test_a_row_that_words_found_has_no_cosine_in_the_explain_form() -> None:
    params = RetrieveParams(query="q", lexical_only=True)
    form = _explained(select(params, [candidate(thought("1"), None, lexical=0.5)], FACTS))
    assert form["snippets"][0]["cosine"] is None


@pytest.mark.requirement("ruling:A9")
@pytest.mark.parametrize("where", ["top", "snippet", "diagnostics"])
def test_the_published_schema_refuses_a_member_more(where: str) -> None:
    form = json.loads(json.dumps(render_retrieve(_full())))
    target = {"top": form, "snippet": form["snippets"][0], "diagnostics": form["diagnostics"]}[where]
    target["summary"] = "a member too many"
    with pytest.raises(ValidationError, match=r"^Additional properties"):
        require_schema(form, "retrieve")


def test_an_instant_is_written_in_utc_with_a_fraction_only_where_there_is_one() -> None:
    assert render_instant(datetime(2025, 9, 2, 21, 11, tzinfo=UTC)) == "2025-09-02T21:11:00Z"
    local = datetime(2025, 9, 2, 23, 11, 0, 500, tzinfo=timezone(timedelta(hours=2)))
    assert render_instant(local) == "2025-09-02T21:11:00.000500Z"
