"""What you read in and around an answer: refusals, marks, proofs, and the labels of what is shown.

Source: docs/style.md.
"""

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
    "malformed": "ask again, or ask another model",
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
def reply_ended(provider: str) -> str:
    return f"{provider} ended the reply itself"
def reply_was_empty(provider: str) -> str:
    return f"{provider} sent an empty reply"

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
def answered_elsewhere(missing: str) -> str:
    return f"{missing}; notes from other times may answer it; ask again without the time"
def no_note_mentions(words: str) -> str:
    return f"no note I searched mentions {words}"
A_PROGRAM: Final = "a program"
def more_notes(count: int) -> str:
    return f" and {count} more note{'s' if count > 1 else ''}"
def noted_by_agents(who: str, notes: str, them: str) -> str:
    return f"an agent noted this ({who}: {notes}); approve {them} to let {them} count"
def notes_uncited(cited: int, found: int, when: str) -> str:
    return (f'the answer cites {cited} of at least {found} notes from that time; list them with `voice retrieve '
            f'"notes" --when "{when}" --floor=-1 -k 50`')
