"""What you read in and around an answer: refusals, marks, proofs, and the labels of what is shown.

Source: docs/style.md.
"""

from datetime import date, datetime
from decimal import Decimal
from typing import Final

# fmt: off

# Refusals: how they open, and what you can do
REFUSED: Final = "I cannot provide a well-grounded answer to that question based on available sources."
REFUSALS: Final = {
    "budget": "I have no answer: asking the model could exceed a spending cap.",
    "deadline": "I have no answer: the deadline passed before one was ready.",
    "provider_error": "I have no answer: the model's provider failed.",
    "malformed": "I have no answer: I could not read the model's reply.",
    "cut": "I have no answer: the model's reply was cut off at its limit.",
    "declined": "I have no answer: the model's provider declined to give one.",
    "model_refused": "I have no answer: the model refused to give one.",
    "cancelled": "I have no answer: the question was cancelled.",
}
REFUSAL_ADVICE: Final = {
    "no_sources": "try other words; if your notes do not say it yet, add a note that does",
    "coverage_low": "ask for one thing at a time",
    "off_topic": "rephrase the question, or read the notes I found",
    "invalid_citation": "ask again, or read the notes themselves",
    "contradiction": "ask again, or read the notes themselves",
    "unsupported_claim": "ask in the words of your notes, or read the notes I found",
    "malformed": "ask again, or choose another model with SURR_INNER_VOICE_MODEL",
    "cut": "raise SURR_INNER_VOICE_MAX_OUTPUT_TOKENS (llm.max_output_tokens), then ask again",
    "declined": "ask in other words, or choose another model with SURR_INNER_VOICE_MODEL",
    "model_refused": "ask in other words, or choose another model with SURR_INNER_VOICE_MODEL",
    "deadline": "ask again, or raise SURR_INNER_VOICE_DEADLINE",
}

# Refusals: what decided
DECIDED: Final = {
    "contradiction": "the answer contradicts the sources it cites",
    "no_sources": "the answer cites no note",
    "off_topic": "the answer is not about your question",
    "unsupported_claim": "the sources that the answer cites do not support one of its sentences",
}
SOURCES_UNCHECKED: Final = "no verifier checked whether the cited sources say this"
def citation_invented(faults: str) -> str:
    return f"a citation is not real: {faults}"
def coverage_low(coverage: float, least: float) -> str:
    return f"the sources it cites prove {coverage:.0%} of the answer, and your settings require {least:.0%}"
def too_few_sources(count: int, least: int) -> str:
    support = "source supports" if count == 1 else "sources support"
    return f"only {count} distinct {support} the answer, and your settings require {least}"
ADD_A_SOURCE: Final = "add another note that says it, or lower SURR_INNER_VOICE_MIN_SOURCES"
def single_source_accepted(own: str) -> str:
    return f"SURR_INNER_VOICE_{own}SINGLE_SOURCE=green accepts one trusted source that covers everything"
def reply_limit(tokens: int) -> str:
    return f"the answer needs more than the {tokens} tokens that a reply may take, reasoning included"
MODEL_REFUSED: Final = "it refused to write about this"
REPLY_UNREADABLE: Final = "its reply had the wrong shape, so nothing of it could be checked or shown"
_VENDORS: Final = {"anthropic": "Anthropic", "gemini": "Gemini", "groq": "Groq", "mistral": "Mistral",
                   "ollama": "Ollama", "ollama_chat": "Ollama", "openai": "OpenAI", "openrouter": "OpenRouter"}
def vendor(provider: str) -> str:
    if provider in _VENDORS:
        return f"{_VENDORS[provider]}"
    return f"the provider {provider}"  # as it is set: no capital can spoil it
def reply_ended(provider: str) -> str:
    return f"{vendor(provider)} ended the reply itself"
def reply_was_empty(provider: str) -> str:
    return f"{vendor(provider)} sent an empty reply"

# Refusals: what was found
NOTHING_FOUND: Final = "I found nothing that matches this question"
NOTHING_FITS: Final = "the notes I found do not fit into the prompt; raise SURR_INNER_VOICE_MAX_TOKENS"
ALL_KEPT_OUT: Final = "every note I found reads like instructions to the model, so I kept them out of the prompt"
NOTHING_AGAINST: Final = "I found nothing in your memory that speaks against this"
NEITHER_FOR_NOR_AGAINST: Final = f"{NOTHING_AGAINST} or for it"
NO_NOTE: Final = "I found no note about it"
NO_NOTE_AGAINST: Final = f"{NOTHING_AGAINST}; {NO_NOTE}"
READ_ONE: Final = "I read the one note about it"
def read_closest(rows: int) -> str:
    return f"I read the {rows} closest notes"
def nothing_against(read: str) -> str:
    return f"{NOTHING_AGAINST}; {read}; try other words"
def notes_do_not_answer(read: str) -> str:
    return f"the notes I found do not answer this; {read}; try other words, or add a name or a time"
def found_too_few(least: int, hint: str) -> str:
    return f"I found fewer than {least} sources for this question; {hint}"
SHOWN_NOTE: Final = "the one note that it was shown"
def shown_notes(notes: int) -> str:
    return f"the {notes} notes that it was shown"
def model_sees_nothing(shown: str) -> str:
    return f"it says that it sees nothing in {shown} that speaks against this; ask in other words"
def model_cannot_answer(shown: str) -> str:
    return f"it says that it cannot answer from {shown}; ask in other words, or add a name or a time"
def missing_then(time: str, missing: str) -> str:
    return f"in the time you asked about ({time}), {missing}"
def answered_elsewhere(missing: str, notes: str = "notes from other times") -> str:
    return f"{missing}; {notes} may answer it; ask again without the time"
def refused_because(notes: str) -> str:
    return f"I refused to answer for this reason: {notes.rstrip('.')}."
def no_note_mentions(words: str) -> str:
    return f"no note I searched mentions {words}"
A_PROGRAM: Final = "a program"
def more_notes(count: int) -> str:
    return f" and {count} more note{'s' if count > 1 else ''}"
def noted_by_agents(who: str, notes: str, them: str) -> str:
    return f"an agent noted this ({who}: {notes}); approve {them} to let {them} count"
def notes_uncited(cited: int, found: int) -> str:
    return f"the answer cites {cited} of at least {found} passages from that time; to see more, ask about part of it"

# Labels of an answer and of what a refusal found
SOURCES: Final = "Sources"
IN_DOUBT: Final = "In doubt"
REASON: Final = "Reason"
CLOSEST: Final = "Closest in your notes"
HERE_ONLY: Final = "a note in your memory"
REPLACED: Final = "Replaced since"
NOT_ENOUGH: Final = "Found, but not enough"
UNDATED: Final = "undated"
IMPORTED: Final = "imported"
NOT_STORED_HERE: Final = "This store does not hold what was said here."
WORDS_DELETED: Final = "Words of this turn were deleted: what they quoted was forgotten or redacted."
def low_coverage(percent: float) -> str:
    return f"Note: Response based on {percent:.0f}% source coverage"
def coverage(share: float) -> str:
    return f"Coverage {share:.0%}"
def left_out(turns: str) -> str:
    return f"{turns} left out."
def days(first: datetime, last: datetime) -> str:
    return f"{first:%Y-%m-%d} to {last:%Y-%m-%d}"

# An answer read aloud
RESTS: Final = {"quoted": "from", "verified": "against"}
RESTS_ELSE: Final = "by"
def no_answer(opening: str) -> str:
    return f"No answer. {opening}"
def reason(why: str) -> str:
    return f"Reason: {why}."
def mind(line: str) -> str:
    return f"Note: {line}"
def sentence(place: int, proof: str, words: str) -> str:
    return f"Sentence {place}, {proof}: {words}"
def sentences(proofs: str) -> str:
    return f"Sentences: {proofs}."
def source(place: int, words: str) -> str:
    return f"Source {place}: {words}"
def source_of(last: str) -> str:
    return f"source {last}"
def sources_of(first: str, last: str) -> str:
    return f"sources {first} and {last}"
def source_says(day: str, row: str, place: str | None, words: tuple[str, ...]) -> str:
    at, said = f", in {place}" if place else "", ". And: ".join(words)
    return f"{day}, row {row}{at}, says: {said}"
def proven_by(sources: int, percent: float) -> str:
    prove = "1 source proves" if sources == 1 else f"{sources} sources prove"
    return f"{prove} {percent:.0f} percent of the draft."

# How a sentence is proven, and what is left out
RUNGS: Final = {
    "quoted": "quoted",
    "verified": "verified",
    "unverified": "not checked",
    "unsupported": "not supported",
    "contradicted": "contradicted",
    "remark": "states nothing",
}
ALL_PROVEN: Final = "Every sentence is quoted from its sources or verified against them."
LEGEND: Final = {
    "✓": "proven: quoted from the source word for word, or verified against the source by a verifier that passed its "
         "test",
    "~": "not checked: it cites real words, but no verifier compared it with them",
    "✗": "not supported, or contradicted, by its sources",
    "·": "makes no claim that could be true or false",
}
WHY_CUT: Final = {
    "unverified": "not checked",
    "unsupported": "not supported by the cited sources",
    "contradicted": "contradicted by the cited sources",
}
NO_LONGER_TRUE: Final = "no longer true"
QUOTED: Final = "quoted word for word"
NOT_COMPARED: Final = "not checked: no verifier compared it with its sources"
NEEDS_NO_SOURCE: Final = "makes no claim, so it needs no source"
EARLIER_JUDGE: Final = "an earlier judge"
def verified_by(checker: str) -> str:
    return f"verified by {checker}"
def not_by_its_sources(rung: str, checker: str) -> str:
    says = f", says {checker}" if checker else ""
    return f"{rung} by its sources{says}"
def sentences_left_out(sentences: str, why: str) -> str:
    return f"{sentences} left out: {why}"
def unchecked(why: str, count: int) -> str:
    unchecked = "1 sentence is" if count == 1 else f"{count} sentences are"
    return f"{why}: {unchecked} not checked"

# Verifiers and their test
LAPSES: Final = {
    "late": "did not answer in time",
    "failed": "failed",
    "malformed": "gave no usable answer",
    "budget": "was not asked, because a spending cap does not allow it",
    "not_believed": "did not pass its test",
}
PASSED: Final = "passed"
NOT_PASSED: Final = "did not pass"
ONLY_QUOTED: Final = "only sentences that quote your memory word for word count as proven"
ANOTHER_VERIFIER: Final = f"{ONLY_QUOTED}; name a stronger model with SURR_VERIFIER_MODEL"
TOO_MUCH_UNANSWERED: Final = "it gave no usable answer to too many of the claims"
def verifier(name: str) -> str:
    return f"the verifier {name}"
def failed_its_test(verifier: str, why: str) -> str:
    return f"{verifier} did not pass its test: {why}. So {ANOTHER_VERIFIER}"
def test_not_finished(verifier: str, why: str) -> str:
    return f"{verifier} could not be tested: it {why}. Until then {ONLY_QUOTED}; `voice verifier check` tests it"
def gave_no_opinion(verifier: str, why: str) -> str:
    return f"{verifier} {why}; so here {ONLY_QUOTED}"
def test_result(passed: float, doubted: float, claims: int, day: date) -> str:
    return (f"let {passed:.1%} of false claims pass and doubted {doubted:.1%} of true ones ({claims} claims, "
            f"{day.isoformat()})")
def test_unanswered(claims: int) -> str:
    return f", and gave no usable answer on {claims} of them"
def lets_too_much_pass(passed: float, most: float) -> str:
    return f"it let {passed:.0%} of false claims pass, and voice accepts at most {most:.0%}"
def let_pass(verifier: str, passed: float) -> str:
    return f"In its test, {verifier} let {passed:.0%} of false claims pass"
def never_tested(verifier: str) -> str:
    return (f"{verifier} was never tested here, so claims that are not quoted stay unverified; `voice verifier check` "
            "tests it, --verifier llm uses it untested")
def claims_stay_unverified(verifier: str, why: str) -> str:
    return f"{verifier} {why}, so claims that are not quoted stay unverified"

# While you wait
LOOKING: Final = "looking"
JUDGED: Final = "checked; storing it"
DONE: Final = "done"
PRICE_UNKNOWN: Final = "at an unknown price"
UNDER_A_CENT: Final = "for less than $0.01"
def about_dollars(cost: Decimal) -> str:
    return f"about ${cost:.2f}"
def found_for_prompt(sentences: str, shown: int) -> str:
    return f"found {sentences}, {shown} for the prompt"
def asking(model: str, attempt: int) -> str:
    again = f", try {attempt}" if attempt > 1 else ""
    return f"asking {model}{again}"
def drafting(tokens: str) -> str:
    return f"drafting, {tokens} so far; you see it when it is checked"
def testing(verifier: str, calls: str, cost: str) -> str:
    return f"testing {verifier} once, on claims whose truth is known: {calls}, {cost}"

# Searches and reports
WHY_LEFT_OUT: Final = {
    "below_floor": "below the floor",
    "duplicate": "says the same as another row",
    "no_slot": "no place left",
    "synthesis": "written by voice itself",
    "bare_name": "a bare name, which says nothing",
    "no_phrase": "does not contain the quoted words",
}
AS_STORED: Final = "as stored"
def repriced_with(table: str, day: str, digest: str) -> str:
    return f"re-priced with {table}, as of {day} (file {digest})"

# Audits and replays
AUDITS: Final = {
    "still_grounded": "still grounded",
    "source_changed": "source changed",
    "source_removed": "source removed",
    "source_not_here": "source not in this memory",
    "source_redacted": "source redacted",
    "no_longer_supported": "no longer supported",
}
AUDITS_COUNTED: Final = {
    "still_grounded": "still grounded",
    "source_changed": "with a source that changed",
    "source_removed": "with a source that was removed",
    "source_not_here": "with a source that is not in this memory",
    "source_redacted": "with a source that was redacted",
    "no_longer_supported": "no longer supported",
}
PROOFS: Final = {
    "proven": "proven",
    "differs": "differs",
    "unprovable": "unprovable",
    "not_sent": "nothing was sent",
}
NOTHING_TO_VERIFY: Final = "nothing to verify"
NOTHING_TO_PROVE: Final = "nothing to prove"
def sentences_of(sentences: str, answers: str) -> str:
    return f"{sentences} of {answers}"
def no_answer_of(turns: str) -> str:
    return f"; {turns} gave no answer"

# Summaries of conversations
NO_SUMMARY: Final = {
    "private": "they rest on private rows, and the model runs on another machine",
    "budget": "asking the model could have exceeded a spending cap",
    "deadline": "the model did not finish in time",
    "failed": "the model failed",
    "malformed": "the model's reply had the wrong shape",
    "too_long": "they did not fit into a prompt",
    "too_few_held": "their answers support too few of the model's sentences",
}
SUMMARY_EMPTY: Final = "no sentence of these turns still holds"
def turn(number: str) -> str:
    return f"turn {number}"
def turns(numbers: str) -> str:
    return f"turns {numbers}"
def summary_of(turns: str, revision: int) -> str:
    return f"Summary of {turns} (revision {revision}):"
def summary_by(author: str) -> str:
    return f"written by {author}, and supported by sentences of those turns"
def summary_quotes(why: str) -> str:
    return f"The summary quotes the turns that it took in last: {why}."

# Exams
EXAM_KINDS: Final = {
    "straight": "asked directly",
    "dated": "asked with its date",
    "near_miss": "near miss",
    "swapped": "swapped person",
}
EXAM_OUTCOMES: Final = {
    "found": "found",
    "rightly_refused": "rightly refused",
    "needlessly_refused": "needlessly refused",
    "wrong": "wrongly answered",
    "failed": "failed",
}
EXAM_HEADS: Final = ("asked", "found", "rightly refused", "wrongly answered", "needlessly refused")
EXAM_MADE: Final = ("How voice made it: by rule, from your own sentences and their rarest words; only the seed is "
                    "random. Two kinds of question have an answer, which must cite the sentence that the question was "
                    "made from, or one that says the same. Two kinds have none: a near miss joins two words that "
                    "nothing in your memory connects, and a swapped person is asked about what only somebody else "
                    "said.")
EXAM_NOT_SHOWN: Final = ("What it does not show: how well voice answers questions in other words than yours, or "
                         "questions that need several notes at once, or whether an answer reads well. Use it to see "
                         "that something broke, not as a grade: on labelled conversations it did not rank similar "
                         "settings as the labels did. With a few dozen questions, a difference of one or two may be "
                         "chance, and a model may answer differently the next time.")
FIRST_RUN: Final = "This is the first run, so there is nothing to compare it with."
TOKENS_UNKNOWN: Final = "an unknown number of tokens"
COST_UNKNOWN: Final = "an unknown cost"
WORSE: Final = "worse"
BETTER: Final = "better"
UNSET: Final = "nothing"
def came_out_right(right: int, questions: str, share: float) -> str:
    return f"{right} of {questions} came out right ({share:.0%})"
def exam_cost(tokens: str, dollars: str) -> str:
    return f"cost: {tokens}, {dollars}"
def tokens_used(sent: int, received: int) -> str:
    return f"{sent:,} tokens sent, {received:,} received"
def other_questions(last: str) -> str:
    return f"The last run ({last}) asked other questions, so voice cannot compare the two."
def compared_runs(questions: str, last: str, better: int, worse: int) -> str:
    return f"Of {questions} that the last run ({last}) also asked, {better} came out better and {worse} worse."
def setting_changed(name: str, then: str, now: str) -> str:
    return f"setting changed: {name}, {then} → {now}"
