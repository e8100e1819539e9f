"""What you read of questions, searches, answers and conversations.

Source: docs/style.md.
"""

from datetime import datetime
from decimal import Decimal
from typing import Final

# fmt: off

# The question, and its place in the prompt
QUESTION_EMPTY: Final = "the question is empty; ask something"
def question_too_long(chars: int, most: int) -> str:
    return (f"the question has {chars:,} characters; at most {most:,} are allowed. Remember the long part first "
            "(`voice remember`), then ask about it")
def question_over_budget(tokens: int, budget: int) -> str:
    return (f"the question is too long: with the instructions it takes {tokens} tokens, and the budget is {budget}; "
            "shorten it, or raise SURR_INNER_VOICE_MAX_TOKENS")

# Prompt files
RELEASED_CHANGED: Final = "a released version never changes: undo the change, and write the new words in a new version"
PROMPT_NEW: Final = "it is new: read its rendering, then run `python -m tools.prompts release`"
RELEASED_GONE: Final = "its file is missing, and turns that used it cannot be proven without it: restore it"
PROMPT_UNREGISTERED: Final = "registry.toml does not say where it is used: add a table for its name"
PROMPT_BROKEN: Final = "a slot has no input, or the template is broken: see inputs.toml"
SNAPSHOT_MISSING: Final = "it is pinned and its snapshot is missing: run `python -m tools.prompts release`"
SNAPSHOT_DIFFERS: Final = "the prompt differs from its snapshot: undo what changed its inputs or its rendering"
def prompt_without_block(prompt: str, block: str) -> str:
    return f"prompt {prompt} has no block {block!r}"
def prompt_slot_unknown(prompt: str, block: str, slot: object) -> str:
    return f"prompt {prompt}, block {block!r}: unknown slot ${slot}"
def prompt_block_faulty(prompt: str, block: str, fault: object) -> str:
    return f"prompt {prompt}, block {block!r}: {fault}"
def prompt_without_header(file: str) -> str:
    return f"{file}: start the file with a header between two lines of ---"
def prompt_header_lacks(file: str, fields: str) -> str:
    return f"{file}: the header lacks {fields}"
def prompt_file_name(file: str, name: str, version: str) -> str:
    return f"{file}: the file must be called {name}.v{version}.md"
def prompt_header_line(file: str) -> str:
    return f"{file}: write each line of the header as `name: value`"
def unknown_prompt(name: str, known: str) -> str:
    return f"unknown prompt {name!r}; choose one of: {known}"

# Times
TIME_ZONE_UNKNOWN: Final = "unknown time zone; use an IANA name like Europe/Berlin or America/Chicago"
WHEN_IMPOSSIBLE: Final = "the time in `when` does not exist; check its dates"
WHEN_UNREADABLE: Final = ('the time in `when` is unclear; write it like "last week", "since 2024-03-05" or "between '
                          'March 3 and March 10"')
def no_such_time(said: str) -> str:
    return f"this time does not exist: {said}"
def one_time_of_several(used: str, others: str) -> str:
    return f"used {used}, not {others}"
def time_not_understood(said: str) -> str:
    return f"not understood as a time: {said}"

# How much to search
SEARCHED_ANY_TIME: Final = "; searched all times"
def number_out_of_bounds(name: str, least: float, most: float) -> str:
    return f"{name} must be a number from {least} to {most}"
def number_clamped(name: str, value: float, used: float) -> str:
    return f"{name} {value} is out of range; using {used}"
def waits_for_its_owner(ids: str) -> str:
    return f"left out until their owner approves what programs noted: {ids}; `voice review` shows it"
def left_out_as_order(ids: str) -> str:
    return f"left out, as it reads like instructions to a model: {ids}"
def searched_then(time: str) -> str:
    return f"{time}: only notes from that time, or about it, were searched"
def searched_wider(time: str) -> str:
    return f"{time} — no notes from that time; searched a little wider"
def searched_any_time(time: str) -> str:
    return f"{time} — no notes from that time; these are from other times"
def searched_earlier_year(time: str) -> str:
    return f"{time} — no notes from that time; searched the same time of an earlier year"

# Searches
QUERY_EMPTY: Final = "the query is empty; say what to look for"
WINDOW_REVERSED: Final = "the time window ends before it starts; swap its start and its end"
def unknown_order(known: str) -> str:
    return f"unknown order; use one of {known}"
def too_few_candidates(given: int, used: int) -> str:
    return f"max_candidates_per_source {given} is less than top_k; using {used}"
SEARCH_EMPTY: Final = "the search is empty; type a word"
def search_too_long(most: int) -> str:
    return f"a search takes at most {most} words; put quotation marks around a phrase"
def no_passage_contains(phrase: str) -> str:
    return f"no passage contains “{phrase}”"
THOUGHT_AS_EVIDENCE: Final = "a thought cannot be evidence; only rows of the knowledge graph can"
SEARCH_TIMED_OUT: Final = ("the search ran out of time, so some results may be missing; raise SURR_NLQ_TIMEOUT_MS for "
                           "more time")
RANKED_BY_WORDS: Final = "ranked by words alone, without vectors"
NO_VECTORS: Final = ("ranked by words alone, because no row has a vector of the current encoder; to make "
                     "vectors, run `voice maintain rebuild vectors`")
def rows_without_vector(rows: int, of: int) -> str:
    return (f"{rows} of {of} rows have no vector of the current encoder, so only words find them; `voice doctor` says "
            "what to do")
THE_GRAPH: Final = "the knowledge graph"
THE_THOUGHTS: Final = "the thoughts"
def floor_lowered(source: str, floor: float, used: float) -> str:
    return f"no result from {source} reaches the floor {floor:g}, so voice lowered it to {used:.3f}"
RERANKER_MISSING: Final = "not installed; with it, fewer answers are wrong"
RERANKER_TIMED_OUT: Final = "the re-ranker ran out of time, so the results are in the order without it"

# Organising
MARKS_NOTHING: Final = "auto_mark_removal marks what was staged; without stage_kg nothing is marked"
def confidence_without_effect(least: float) -> str:
    return f"confidence_min {least} is lower than the minimum of every kind, so it changes nothing"

# Answers and facts to check
CITES_NO_FACT: Final = "the answer cites a source that is not among the facts"
NOTHING_TO_CHECK: Final = "the answer states nothing; there is nothing to check"
FACTS_MISSING: Final = "there are no facts to check the answer against; give at least one"
FACT_ID_TWICE: Final = "two facts have the same id; give each its own"
FACTS_UNCHECKED: Final = "no verifier checked whether the facts say this"
def too_many_facts(count: int, most: int) -> str:
    return f"{count} facts are too many; give at most {most}"
def facts_too_long(most: int) -> str:
    return f"the facts have more than {most:,} characters; give only those that the answer cites"
def answer_too_long(most: int) -> str:
    return f"the answer has more than {most:,} characters; check it in parts"
def too_much_to_check(sentences: int) -> str:
    return (f"{sentences} sentences against that many facts are too much for one check; give only the facts that the "
            "answer cites, or check it in parts")
FACTS_CUT_OFF: Final = "the facts are not a complete JSON list; fix the file"
FACTS_SHAPE: Final = "the facts are neither a JSON list nor JSON lines; fix the file"
REFUSAL_TO_CHECK: Final = "the answer is a refusal; there is nothing to check"
def fact_line_not_json(line: int) -> str:
    return f"line {line} of the facts is not valid JSON; fix it"
def answer_unreadable(fault: str) -> str:
    return f"the answer cannot be read: {fault}"
def fact_shape(place: int) -> str:
    return f"fact {place} is neither a text nor an object with `text`"
def fact_without_text(place: int) -> str:
    return f"fact {place} has no `text`"
def fact_field_shape(field: str, place: int) -> str:
    return f"`{field}` of fact {place} must be text"
def fact_date_shape(place: int) -> str:
    return f"`date` of fact {place} must be a day such as 2024-03-05"

# Sentences that voice adds to an answer
NO_SENTENCE: Final = "Your memory holds no sentence that speaks to this."
NO_SENTENCE_AGAINST: Final = "Your memory holds no sentence that speaks against this."
UNDATED_THEN: Final = "Notes without a date that name this time:"
MAY_NOT_BE_ALL: Final = "This may not be all: more passages come close than are shown here."
def part_unanswered(question: str) -> str:
    return f"None of the passages I found answers “{question}”."
def lines_not_shown(lines: int) -> str:
    left = "1 line of this list is" if lines == 1 else f"{lines:,} lines of this list are"
    return f"{left} not shown here."
def who_you_are(name: str, others: str) -> str:
    also = f", also called {others}" if others else ""
    return f"Your settings say that you are {name}{also}."

# What a verifier replied
OPINION_CLAIMS: Final = "the verifier's reply does not name each claim once"
OPINION_NOT_JSON: Final = "the verifier's reply is not the JSON object that voice asked for"
OPINION_SHAPE: Final = "a verdict in the verifier's reply does not have the shape that voice asked for"

# What a sentence of an answer lacks
CITES_UNSEEN: Final = "the answer cites a source that was not in this prompt"
QUOTATION_TOO_SHORT: Final = "the quotation is too short to support anything"
MARKS_UNSEEN: Final = "the answer marks a sentence with a source that was not in this prompt"
DO_NOT_SAY_THIS: Final = "do not say this"
SAY_OTHERWISE: Final = "say otherwise"
NO_WORDS_NAMED: Final = "the verifier named no words of a cited source"
CITES_NOTHING: Final = "it cites no source"
def cited_sources(say: str) -> str:
    return f"the cited sources {say}"
def passages_lack(words: str) -> str:
    return f"the cited passages do not give “{words}”"
SOURCES_LACK_A_NAME: Final = "the cited sources do not name a person or thing that the answer names"
SOURCES_LACK_A_NUMBER: Final = "the cited sources do not give a number, code or address of the answer"
def sources_lack(words: str) -> str:
    return f"the cited sources do not give {words}"
def sources_lack_date(date: str) -> str:
    return f"the cited sources do not give the date {date}"
def source_ended(day: datetime) -> str:
    return f"the source was true until {day.day} {day:%B %Y}; the answer tells it as current"
SOURCE_REPLACED: Final = "a later note replaced the source; the answer tells it as current"
QUOTATION_CARRIES_NOTHING: Final = "the quotation is real but supports no sentence of the answer"
STATES_NOTHING: Final = "the answer states nothing; ask again, or read the notes themselves"

# What keeps a quotation from being found in its source
QUOTATION_EMPTY: Final = "the quotation is empty"
NOT_IN_SOURCE: Final = "the quotation is not in the source"
PART_NOT_IN_SOURCE: Final = "a part of the shortened quotation is not in the source, or not in this order"
PARTS_TOO_SHORT: Final = "the parts of the shortened quotation are too short to find reliably"
LEFT_OUT_CHANGES: Final = "the words left out of the quotation change its meaning"
WORDS_MOVED: Final = "the quotation adds or leaves out too many words"
WORD_MOVED: Final = "the quotation adds or leaves out an important word"
NEGATION_MOVED: Final = "the quotation adds or leaves out a negation"
NUMBER_MOVED: Final = "the quotation adds or leaves out a number"
OTHER_WORD: Final = "a word in the quotation differs from the source"
OTHER_NAME: Final = "a name in the quotation differs from the source"
OTHER_NUMBER: Final = "a number in the quotation differs from the source"
OTHER_NEGATION: Final = "a negation in the quotation differs from the source"
OTHER_SIGN: Final = "a symbol in the quotation differs from the source"

# Shapes of a draft
SENTENCES_EMPTY: Final = "`sentences` says nothing; answer, or set `refused` to true"
ANSWER_EMPTY: Final = "`answer` is empty; answer, or set `refused` to true"
SOURCES_MISSING: Final = "the key `sources` is missing"
def must_be_list(where: str, kind: str) -> str:
    return f"{where} is {kind}; it must be a list"
def too_many_entries(where: str, count: int, most: int) -> str:
    return f"{where} has {count} entries; give at most {most}"
def sentences_too_long(most: int) -> str:
    return f"the sentences have more than {most} characters; answer more briefly"
def too_many_citations(most: int) -> str:
    return f"the sentences have more than {most} citations; give fewer"
def must_be_sentence(where: str, kind: str) -> str:
    return f"{where} is {kind}; it must be an object with `text`, `kind` and `sources`"
def sentence_kind(where: str) -> str:
    return f"{where}.kind` must be `claim`, `remark` or `question`"
def must_be_source(where: str, kind: str) -> str:
    return f"{where}` is {kind}; it must be an object with `source_id` and `span`"
def must_be_notes(kind: str) -> str:
    return f"`notes` is {kind}; it must be a string or null"
def must_be_flag(key: str, kind: str) -> str:
    return f"`{key}` is {kind}; it must be true, false or null"
def key_missing(where: str) -> str:
    return f"the key {where} is missing"
def must_be_string(where: str, kind: str) -> str:
    return f"{where} is {kind}; it must be a string"
def too_many_characters(where: str, chars: int, most: int) -> str:
    return f"{where} has {chars} characters; give at most {most}"

# Replies of a model
BROKEN_SYNTAX: Final = "broken syntax"
JSON_FAULTS: Final = {
    "Expecting value": "a value is missing",
    "Expecting ',' delimiter": "a comma or closing bracket is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting property name enclosed in double quotes": "a key in double quotes is missing",
    "Invalid control character at": "a line break or control character stands unescaped in a string",
    "Invalid \\escape": "an invalid escape stands in a string",
}
REPLY_EMPTY: Final = "the reply is empty; reply with one JSON object"
SENTENCES_MISSING: Final = "the key `sentences` is missing"
REPLY_WITHOUT_JSON: Final = "the reply holds no JSON object; reply with one JSON object and nothing else"
REPLY_TOO_DEEP: Final = "the reply nests too many objects or lists; use the given schema"
def reply_too_long(most: int) -> str:
    return f"the reply has more than {most} characters; answer more briefly"
def reply_cut_off(chars: int) -> str:
    return f"the reply ends at character {chars}, before its object does; be brief and close what is open"
def reply_not_json(fault: str, place: int) -> str:
    return f"the reply is not JSON: {fault} at character {place}"
def reply_not_an_object(kind: str) -> str:
    return f"the reply is {kind}; reply with one JSON object"
def key_twice(key: str) -> str:
    return f"the key `{key}` appears twice with different values"

# Sessions
TOPIC_EMPTY: Final = "a topic needs a few words"
NOTHING_TO_EXPLAIN: Final = "There is nothing to explain yet: this conversation has no question before this one."
NO_SESSION: Final = "there is no session to continue; start a new one"
EXCHANGE_NOT_LAST: Final = "an exchange can only be appended at the end of its session"
def continued_in_future(last: str) -> str:
    return f"was last continued at {last}, which is in the future by this machine's clock"
def idle_too_long(last: str, hours: float) -> str:
    return f"has been idle since {last}, more than {hours} hours"
def session_not_continued(session: str, why: str) -> str:
    return f"session {session} {why}; name it by its id to continue it, or start a new one"
def session_closed(session: str) -> str:
    return f"session {session} is closed; open it again, or start a new one"
def shared_session_missing(session: str, other: str) -> str:
    return f"{session}: it shares turns of {other}, which is not stored"
def shared_turns_missing(session: str, shares: str, other: str, held: int) -> str:
    return f"{session}: it shares {shares} of {other}, which has {held}"
def exchange_numbers(session: str) -> str:
    return f"{session}: the numbers of its exchanges have a gap or a repetition"
def exchange_count(session: str, counted: int, stored: int) -> str:
    return f"{session}: {counted} exchanges are counted but {stored} are stored"
def outcome_counts(session: str) -> str:
    return f"{session}: its counts of answers, refusals and errors do not match its exchanges"
def token_total(session: str) -> str:
    return f"{session}: its total of tokens does not match its exchanges"
def cost_total(session: str) -> str:
    return f"{session}: its total cost does not match its exchanges"
NUMBER_NOT_FINITE: Final = "a number that is not finite cannot be stored"
def not_recordable(kind: str) -> str:
    return f"a {kind} cannot be part of a record of a conversation"

# Documents of conversations
DOCUMENT_CHANGED: Final = "session: it was changed, or exchanges were cut off at the end"
EXCHANGE_MISPLACED: Final = ".values.index: this is not the exchange that belongs here"
NONCES: Final = ".nonces: there must be exactly one for each value"
LINK_BROKEN: Final = ".link: something was changed, removed or moved here"
def value_changed(name: str) -> str:
    return f".values.{name} does not match its commitment"
def value_left_out(name: str) -> str:
    return f".values.{name}: it is missing; only texts may be left out"
def text_left(exchange: str) -> str:
    return f"{exchange}: its session was deleted, but more than its figures remains"

# Spending caps
CALL_AT_UNKNOWN_PRICE: Final = "a call of unknown price"
ALLOW_UNKNOWN_PRICE: Final = "SURR_INNER_VOICE_ON_UNKNOWN_PRICE=allow makes the call without a known price"
CHEAPER: Final = "ask a cheaper model, lower SURR_INNER_VOICE_MAX_OUTPUT_TOKENS"
def cap_on_lower_bound(cap: str, turns: str) -> str:
    return f"the spending cap of {cap} counts a lower bound: {turns}"
def spending_cap(cap: str, limit: Decimal, setting: str) -> str:
    return f"the spending cap of {cap} (${limit:f}, {setting})"
def price_unknown(cap: str) -> str:
    return f"the price of this call is unknown, so voice cannot keep to {cap}; {ALLOW_UNKNOWN_PRICE}"
def cap_not_kept(cap: str, turns: str) -> str:
    return f"voice cannot keep to {cap}: {turns}; {ALLOW_UNKNOWN_PRICE}"
def call_could_cost(most: str) -> str:
    return f"this call could cost up to {most}"
def cap_leaves(call: str, cap: str, left: str, spent: str) -> str:
    return f"{call}, but {cap} leaves {left}: {spent}"
def spent(sum_spent: str) -> str:
    return f"{sum_spent} is spent"
def spent_at_worst(sum_spent: str) -> str:
    return f", {sum_spent} of it the worst case of calls whose usage was not reported"
def turns_of_unknown_cost(turns: str, known: str) -> str:
    return f"the cost of {turns} is unknown, so the {known} known is a lower bound"
def over_the_whole_cap(setting: str) -> str:
    return f"the whole cap would not allow it; {CHEAPER}, or raise {setting}"
def ask_in_new_turn(setting: str) -> str:
    return f"ask again in a new turn, or raise {setting}"
def start_new_session(setting: str) -> str:
    return f"start a new session with --new, or raise {setting}"
def frees_up_at(time: datetime, timezone: str, setting: str) -> str:
    return f"it frees up at {time:%Y-%m-%d %H:%M} ({timezone}), or raise {setting}"

# Prompts sent earlier
TOKENIZER_MISSING: Final = "this machine does not have the tokenizer that measured its prompt"
INSTANT_NOT_KEPT: Final = "the moment of its prompt was not kept"
ZONE_UNKNOWN: Final = "this machine does not know the time zone of its prompt"
BUDGET_NOT_KEPT: Final = "the token budget of its prompt was not kept"
SUMMARY_MOVED_ON: Final = "the session summary has changed since, and how far it reached was not kept"
NO_LONGER_FITS: Final = "the question no longer fits into the token budget of its prompt"
PARTS_NOT_KEPT: Final = "its parts were not kept, so voice cannot say what differs"
KEY_DIFFERS: Final = "the key of this store is not the one that made its hash"
PARTS_ORDER: Final = "how its parts were put together"
THE_INSTRUCTIONS: Final = "the instructions"
THE_SUMMARY: Final = "the session summary"
THE_TURNS_BEFORE: Final = "the turns before it"
THE_QUESTION: Final = "the question, or the day it was asked on"
def prompt_file_missing(file: str) -> str:
    return f"this program does not have the prompt file {file}"
def turn_gone(turn: str) -> str:
    return f"the turn {turn} before it is gone"
def turn_rests_on(turn: str, fate: str) -> str:
    return f"the turn {turn} before it rests on a row that was {fate}"
def model_summary_moved_on(revision: int | None) -> str:
    return f"a model wrote revision {revision} of the session summary, and the summary has changed since"
def row_was(row: str, fate: str) -> str:
    return f"{row} was {fate}"
def prompt_file_edited(file: str) -> str:
    return f"the prompt file {file} was edited since"
def row_shown_differently(row: str) -> str:
    return f"{row} is shown differently: its date, its speaker, its standing or where it is cut"
