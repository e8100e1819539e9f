"""The judgement of a whole draft: the order of reasons, the policy, what a refusal says and hides."""

import pytest

from grounding_rows import CITED, GOOD, MEMORY, MOVE, RENT, SAID_ON, WINTER, draft, judged, row
from voice.core.grounding.judge import judge
from voice.core.grounding.refusal import REFUSAL_TEXT, refusal
from voice.core.grounding.values import GroundedResponse, GroundingPolicy, RefusalReason, Stance
from voice.core.records import TrustTier

GREEN_ALONE = GroundingPolicy(single_source="green")


@pytest.mark.requirement(
    "promise:1", "ruling:D1", "s2:grounding:answer", "s2:grounding:sources", "s2:citation:source_id"
)
def test_an_answer_whose_sentences_are_all_held_is_accepted_with_its_sources() -> None:
    response = judged(GOOD, *CITED)

    assert not response.refused
    assert response.answer == GOOD
    assert response.coverage_ratio == 1.0
    assert [source.source_id for source in response.sources] == ["o:s1", "o:s2"]
    assert response.source_count == 2


@pytest.mark.requirement("ruling:C13", "ruling:D1", "s2:citation:span")
def test_every_kept_span_is_cut_from_its_row() -> None:
    response = judged(GOOD, ("S1", "i MOVED to “Stockholm” in march 2021"), CITED[1])

    texts = {one.row_id: one.text for one in MEMORY}
    assert response.sources[0].span == "I moved to Stockholm in March 2021"
    assert all(s.span == texts[s.source_id][s.span_start : s.span_end] for s in response.sources)


@pytest.mark.requirement("s2:citation:relevance", "s2:citation:source_type")
def test_a_citation_says_how_much_of_a_sentence_its_row_carries() -> None:
    response = judged(GOOD, *CITED)

    assert response.sources[0].relevance == 1.0
    assert response.sources[0].source_type == "kg_observation"
    assert response.sources[0].trust_tier is TrustTier.GREEN
    assert response.sources[0].created_at == SAID_ON


def test_each_supported_sentence_has_receipts_that_point_into_its_rows() -> None:
    first, second = judged(GOOD, *CITED).sentences

    assert [(r.row_id, r.content_hash) for r in first.receipts] == [(MOVE.row_id, MOVE.content_hash)]
    assert MOVE.text[first.receipts[0].start : first.receipts[0].end] == CITED[0][1]
    assert [r.row_id for r in second.receipts] == [RENT.row_id]


def test_sentence_offsets_point_into_the_answer() -> None:
    response = judged(GOOD, *CITED)

    assert all(s.text == response.answer[s.start : s.end] for s in response.sentences)


@pytest.mark.requirement("s2:provider:gate", "s2:grounding:min_coverage_ratio", "s2:test:refuse-ungrounded")
def test_too_little_coverage_is_refused_with_the_figures() -> None:
    response = judged("You moved to Stockholm in March 2021. Your flat has a sauna, a garden and a balcony.", *CITED)

    assert response.reason is RefusalReason.COVERAGE_LOW
    assert 0 < response.coverage_ratio < 0.6
    assert response.notes is not None
    assert "60%" in response.notes


@pytest.mark.requirement("ruling:D3", "s2:grounding:min_sources")
def test_one_source_is_too_few_and_its_evidence_is_shown() -> None:
    response = judged("You moved to Stockholm in March 2021.", CITED[0])

    assert response.reason is RefusalReason.TOO_FEW_SOURCES
    assert response.coverage_ratio == 1.0
    assert [shown.span for shown in response.evidence_found] == [CITED[0][1]]
    assert response.notes == (
        "only 1 distinct source supports the answer, and 2 are needed; "
        "SURR_INNER_VOICE_SINGLE_SOURCE=green lets one trusted source that holds it all be enough"
    )


@pytest.mark.requirement("ruling:D3")
def test_one_green_source_with_full_coverage_passes_when_the_policy_says_so() -> None:
    assert not judged("You moved to Stockholm in March 2021.", CITED[0], policy=GREEN_ALONE).refused


@pytest.mark.requirement("ruling:D3")
@pytest.mark.parametrize("trust", [TrustTier.AMBER, TrustTier.RED])
def test_one_source_that_is_not_green_never_passes(trust: TrustTier) -> None:
    memory = (row("S1", MOVE.text, trust=trust),)

    response = judged("You moved to Stockholm in March 2021.", CITED[0], memory=memory, policy=GREEN_ALONE)

    assert response.reason is RefusalReason.TOO_FEW_SOURCES


@pytest.mark.requirement("ruling:D3")
def test_one_green_source_without_full_coverage_does_not_pass() -> None:
    answer = "You moved to Stockholm in March 2021 with your sister Anna. You have a balcony."

    assert judged(answer, ("S1", MOVE.text), policy=GREEN_ALONE).reason is RefusalReason.TOO_FEW_SOURCES


@pytest.mark.requirement("ruling:D1")
def test_an_unsupported_sentence_of_an_accepted_answer_is_marked() -> None:
    response = judged(f"{GOOD} It has a sauna.", *CITED)

    assert not response.refused
    assert [s.verdict for s in response.sentences] == ["supported", "supported", "unsupported"]
    assert response.sentences[2].reasons == ("the cited sources do not hold this",)
    assert response.notes == "1 of 3 sentences are not supported by the cited sources and are marked"


@pytest.mark.requirement("ruling:D1")
def test_coverage_is_computed_before_anything_is_cut() -> None:
    policy = GroundingPolicy(on_unsupported="cut")

    response = judged(f"It has a sauna. {GOOD}", *CITED, policy=policy)

    assert response.answer == GOOD
    assert response.coverage_ratio < 1.0
    assert all(s.text == response.answer[s.start : s.end] for s in response.sentences)
    assert response.notes == "1 of 3 sentences are not supported by the cited sources and were left out"


def test_the_policy_may_refuse_any_unsupported_sentence() -> None:
    response = judged(f"{GOOD} It has a sauna.", *CITED, policy=GroundingPolicy(on_unsupported="refuse"))

    assert response.reason is RefusalReason.UNSUPPORTED_CLAIM
    assert response.notes == (
        "a sentence of the answer is not supported by the sources it cites; ask for one thing at a time"
    )


@pytest.mark.requirement(
    "promise:2", "s2:provider:refusal-text", "s2:grounding:refused", "s2:grounding:notes", "s2:tool:refusal"
)
def test_a_refusal_says_so_cites_nothing_and_explains_itself() -> None:
    response = judged("You moved to Berlin.", ("S1", "I moved to Berlin in March 2021"))

    assert response.refused
    assert response.answer == REFUSAL_TEXT
    assert response.sources == ()
    assert response.confidence == 0.0
    assert (response.notes or "").startswith("a citation is not real: the quotation is not in the source")
    assert response.evidence_found


@pytest.mark.requirement("ruling:D9")
@pytest.mark.parametrize(
    ("answer", "sources"),
    [
        ("Zanzibarbados is your home, says Quxley.", CITED),
        ("Zanzibarbados is your home.", (("S1", "Zanzibarbados is my home"),)),
        ("Zanzibarbados is your home.", (("S77", "Zanzibarbados"),)),
        ("Zanzibarbados? Did Quxley move there?", CITED),
        ("Anna likes the winters in Zanzibarbados.", (("S3", WINTER.text),)),
    ],
)
def test_no_word_of_a_rejected_draft_is_in_its_refusal(answer: str, sources: tuple[tuple[str, str], ...]) -> None:
    response = judged(answer, *sources)

    assert response.refused
    assert "zanzibar" not in repr(response).lower()
    assert "quxley" not in repr(response).lower()


@pytest.mark.requirement("ruling:A3")
def test_what_the_model_says_of_itself_is_kept_and_not_used() -> None:
    reported = (("coverage_ratio", "1.0"), ("confidence", "0.99"))

    response = judge(
        draft("You have a sauna.", *CITED, reported=reported), MEMORY, GroundingPolicy(), question="What do I have?"
    )

    assert response.reason is RefusalReason.COVERAGE_LOW
    assert response.coverage_ratio == 0.0
    assert response.self_reported == reported


@pytest.mark.requirement("s2:grounding:confidence")
def test_confidence_grows_with_what_is_held_and_stays_under_coverage() -> None:
    short = judged("You moved to Stockholm in March 2021.", CITED[0], policy=GREEN_ALONE)
    longer = judged(GOOD, *CITED)

    assert 0 < short.confidence < longer.confidence < longer.coverage_ratio


def test_a_draft_without_citations_is_refused() -> None:
    assert judged(GOOD).reason is RefusalReason.NO_SOURCES


@pytest.mark.requirement("s2:checklist:citations-enforced")
def test_a_draft_that_cites_only_stop_words_is_refused() -> None:
    assert judged(GOOD, ("S1", "with my")).reason is RefusalReason.NO_SOURCES


@pytest.mark.parametrize("answer", ["", "  \n", "...", "🎉", "It is."])
def test_an_answer_that_states_nothing_is_refused(answer: str) -> None:
    response = judged(answer, *CITED)

    assert response.reason is RefusalReason.COVERAGE_LOW
    assert response.coverage_ratio == 0.0


def test_an_answer_of_courtesies_alone_is_refused() -> None:
    assert judged("Sure! Let me know if you need anything else.", *CITED).reason is RefusalReason.COVERAGE_LOW


@pytest.mark.requirement("ruling:D6")
def test_a_refusal_of_the_models_own_is_kept_as_such_and_its_citations_are_ignored() -> None:
    response = judge(draft("x", ("S99", "x"), refused=True), MEMORY, GroundingPolicy(), question="Where?")

    assert response.reason is RefusalReason.MODEL_REFUSED
    assert response.rejected_citations == ()
    assert response.sources == ()
    assert len(response.evidence_found) == 3


@pytest.mark.requirement("grounding:refusal:no-model")
def test_what_is_composed_without_a_model_lacks_sources_where_it_refuses() -> None:
    response = judge(draft("", refused=True), MEMORY, GroundingPolicy(), question="Where?", by_model=False)

    assert response.reason is RefusalReason.NO_SOURCES
    assert response.notes is not None
    assert response.notes.startswith("none of the notes that were found answers this")


def test_a_contradiction_is_named_in_numbers_a_person_can_check() -> None:
    response = judged("You moved to Stockholm in March 2021. The flat costs 4,100 euros a month.", *CITED)

    assert response.reason is RefusalReason.CONTRADICTION
    assert response.notes is not None
    assert "the source says 1,400 euros, the answer says 4,100 euros" in response.notes


def test_an_invented_citation_comes_before_a_contradiction() -> None:
    answer = "The flat costs 4,100 euros a month."

    assert judged(answer, CITED[1], ("S9", "x")).reason is RefusalReason.INVALID_CITATION


@pytest.mark.requirement("ruling:D5")
def test_what_another_person_said_does_not_answer_a_question_about_one() -> None:
    memory = (
        row("S1", "I adopted a rescue dog from the shelter.", speaker="Maria"),
        row("S2", "My rescue dog from the shelter is called Bella.", speaker="Maria"),
        row("S3", "Good for you!", speaker="John"),
    )
    answer = "A rescue dog was adopted from the shelter. The rescue dog from the shelter is called Bella."
    cited = (("S1", memory[0].text), ("S2", memory[1].text))

    about_john = judged(answer, *cited, memory=memory, question="Which dog did John adopt?")
    about_maria = judged(answer, *cited, memory=memory, question="Which dog did Maria adopt?")

    assert about_john.reason is RefusalReason.UNSUPPORTED_CLAIM
    assert not about_maria.refused


@pytest.mark.requirement("ruling:D5")
def test_a_verbatim_answer_to_another_question_is_refused() -> None:
    memory = (
        row("S1", "The flat in Stockholm costs 1,400 euros a month.", relevance=0.1),
        row("S2", "Landlord Olsson collects the rent for the flat in Stockholm.", relevance=0.1),
        row("S3", "Bruno the dog had surgery on his knee.", relevance=0.9),
    )
    answer = "The flat in Stockholm costs 1,400 euros a month. Olsson collects the rent for the flat."

    response = judged(answer, ("S1", memory[0].text), ("S2", memory[1].text), memory=memory, question="How is Bruno?")

    assert response.reason is RefusalReason.UNSUPPORTED_CLAIM
    assert response.notes == (
        "the cited sources speak of something or somebody else than the question; ask it in the words of your notes, "
        "or read those that were found"
    )


def test_a_sentence_that_an_uncited_row_holds_is_said_to_be_wrongly_cited() -> None:
    response = judged(f"{GOOD} Anna does not like the winters in Stockholm.", *CITED)

    assert response.sentences[2].verdict == "unsupported"
    assert "uncited" in response.sentences[2].flags


def test_a_real_quotation_that_supports_nothing_is_no_source() -> None:
    response = judged(GOOD, *CITED, ("S3", WINTER.text))

    assert [source.source_id for source in response.sources] == ["o:s1", "o:s2"]
    idle = response.rejected_citations[0]
    assert (idle.alias, idle.reason) == ("S3", "the quotation is real but supports no sentence of the answer")


def test_inline_markers_do_not_disturb_the_judgement() -> None:
    answer = "You moved to Stockholm in March 2021 [S1]. The flat costs 1,400 euros a month [S2, S1]."

    response = judged(answer, *CITED)

    assert response.answer == answer
    assert response.coverage_ratio == 1.0


def test_a_question_back_that_takes_up_the_sources_is_accepted() -> None:
    answer = "Why did you move to Stockholm in March 2021, and does the flat in Stockholm cost 1,400 euros?"

    response = judged(answer, *CITED, stance=Stance.QUESTION)

    assert not response.refused
    assert response.sentences[0].kind == "question"


@pytest.mark.requirement("promise:8")
def test_the_same_input_gives_the_same_judgement() -> None:
    answer = f"{GOOD} It has a sauna. Do you like it?"

    assert judged(answer, *CITED) == judged(answer, *CITED)


def test_a_refusal_without_a_draft_shows_the_most_relevant_rows() -> None:
    memory = (
        row("S1", "One. " * 200, relevance=0.2),
        row("S2", "Two is here. Three is there.", relevance=0.9),
        row("S3", " "),
    )

    response = refusal(RefusalReason.NO_SOURCES, notes="nothing", evidence=memory)

    assert isinstance(response, GroundedResponse)
    assert [shown.span[:12] for shown in response.evidence_found] == ["Two is here.", "One. One. On"]
    assert len(response.evidence_found[1].span) <= 400
    assert response.notes == "nothing"


def test_a_row_without_a_sentence_end_is_shown_cut() -> None:
    response = refusal(RefusalReason.NO_SOURCES, notes=None, evidence=(row("S1", "word " * 300),))

    assert len(response.evidence_found[0].span) == 400
