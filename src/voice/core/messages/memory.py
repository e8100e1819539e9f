"""What you read of rows, the knowledge graph, pins, capsules and recall, of the process that holds the
store, and of the state of it all.

Source: docs/style.md.
"""

from datetime import datetime
from typing import Final

# fmt: off

# Corrections and conflicts
CORRECTION_REVERSED: Final = "it cannot end before it begins; choose an --until later than --since"
INSTEAD_OF_CORRECTING: Final = "note what is true, and tell them"
INSTEAD_OF_REMOVING: Final = "tell them what should go, and why"
INSTEAD_OF_SETTLING: Final = "tell them that both may be true, and why"
CORRECTION_ENDS_FIRST: Final = "it would end before it begins; give --since as well as --until"
CORRECTION_CHANGES_NOTHING: Final = "it already says that; give other words, or --since or --until"
def reason_too_long(chars: int, most: int) -> str:
    return f"the reason has {chars:,} characters; use at most {most}"
def own_summary(row: str) -> str:
    return f"voice itself wrote {row}; correct its sources instead, and ask again"
def already_replaced(by: str, row: str) -> str:
    return f"{by} has already replaced {row}; correct {by}"
def no_longer_in_use(row: str) -> str:
    return f"{row} is no longer in use; add what is true with `voice remember`"
def marked_for_removal(row: str) -> str:
    return f"{row} is marked for removal, so no answer uses it and it needs no correction"
def nothing_to_correct(row: str) -> str:
    return f"{row} is redacted, so nothing is left to correct"
def words_of_a_person(row: str, act: str, instead: str) -> str:
    return (f"{row} holds a person's own words, or words that a person approved, and only they can {act} these; "
            f"{instead}")
CONFLICT_ID_SHAPE: Final = "the id of a conflict looks like d:…"
NOTE_EDITED: Final = "the note was edited"

# Merged entities
def same_entity(row: str) -> str:
    return f"both names mean {row}; there is nothing to merge"
def merge_would_show(private: str, shown: str) -> str:
    return f"{private} is private and {shown} is not; with --private they become one private entity"
def entity_not_in_use(row: str) -> str:
    return f"{row} is no longer in use; `voice kg list` shows the entities that are"
def merge_undone(merge: str) -> str:
    return f"{merge} is already undone; the two entities are separate"
def merged_row_gone(row: str) -> str:
    return f"{row} was forgotten or removed since, so the merge cannot be undone"
def merged_row_redacted(row: str) -> str:
    return f"{row} was redacted since, so the merge cannot be undone"
def merged_again(row: str, into: str | None) -> str:
    return f"{row} was later merged into {into}; undo that merge first"
def no_longer_merged(row: str, of: str) -> str:
    return f"{row} is no longer a part of {of}"

# Forgetting and removal
FORGET_BOTH_WAYS: Final = "give ids with --id, or a description with --matching, --tag, --about or --when, not both"
FORGET_WHAT: Final = "say what to forget: --sentence, --id, --matching, --tag, --about or --when"
def nothing_to_forget_by(option: str) -> str:
    return f"{option} is empty; say what to look for"
def cannot_mark(row: str, status: str) -> str:
    return f"{row} is {status}; you can mark only a thought that is still in use"
STORE_NOT_EMPTY: Final = "the store is not empty; restore into a new data directory: voice --home DIR …"

# Candidates
CANDIDATE_ID: Final = "the id of a candidate must be that of its proposal"
EDIT_CHANGES_KIND: Final = "an edit cannot turn an entity into a relation, or a relation into an entity"
CONFIDENCE_BOUNDS: Final = "a confidence must lie between 0 and 1"
APPROVED_WITHOUT_ROW: Final = "an approved candidate has a row, and no other candidate has one"
CURSOR_UNKNOWN: Final = "the cursor is not a place in the list; copy the `next` of the previous page"
def empty(what: str) -> str:
    return f"{what} must not be empty"
def ends_are_one(candidate: str, entity: str) -> str:
    return f"both ends of {candidate} are {entity}; reject it, or edit one end"
def sources_gone(candidate: str) -> str:
    return f"the notes behind {candidate} are forgotten or removed; reject it"

# Decisions on candidates
EDITED_NOTHING: Final = "you changed nothing; name a field to edit"
QUOTATION_OPEN: Final = "the conditions have a quotation mark that does not close"
KIND_UNKNOWN: Final = "kind must be entity or relation"
def field_of_other_kind(candidate: str, kind: str, field: str) -> str:
    return f"{candidate} is {kind} and has no {field}"
def conditions_too_long(chars: int, most: int) -> str:
    return f"the conditions have {chars:,} characters; use at most {most:,}"
def condition_shape(part: str, fields: str, example: str) -> str:
    return f"{part!r} is not a condition; write a field ({fields}), a sign and a value, as in: {example}"
def field_takes_equality(field: str) -> str:
    return f"{field} takes only = or !="
def field_takes_number(field: str, example: str) -> str:
    return f"{field} takes a number, as in: {example}"
VALIDITY_REVERSED: Final = "a period of validity must begin before it ends"

# Approved candidates
def entity_ambiguous(what: str, ids: str) -> str:
    return (f"{what} could be any of {ids}; choose one: `voice kg alias` names it for an entity, `voice kg edit` with "
            "an id for the end of a relation")
def end_missing(end: str, candidate: str) -> str:
    return (f"the {end} of {candidate} is not in the graph yet: approve its entity first, approve both together, or "
            "name another entity")
def already_approved(candidate: str, row: str | None) -> str:
    return f"{candidate} is already in the graph as {row}; change it there"
def not_an_entity(row: str) -> str:
    return f"{row} is not an entity in the graph; `voice kg list` shows the entities"
def alias_of_relation(candidate: str) -> str:
    return f"{candidate} is a relation; only an entity can be another name for an entity"
def already_in_graph(candidate: str, row: str | None) -> str:
    return f"{candidate} is already in the graph as {row}"
def alias_would_show(candidate: str, entity: str) -> str:
    return f"{candidate} is private and {entity} is not, so its name would become visible"
def removed_by_you(row: str, candidate: str) -> str:
    return (f"you removed {row} from the graph, so {candidate} stays out; reject it, or add it by hand with `voice kg "
            "add`")

# Notes that wait for your word
def no_such_sentence(note: str, sentence: object, count: int) -> str:
    return f"{note} has no sentence {sentence}; it has {count}"
def counts_already(note: str) -> str:
    return f"{note} counts already; correct or forget what is wrong in it"
AS_LOGGED: Final = "import its file again with --as logged"
SOMEBODY: Final = "somebody"
def said_by_others(who: str, notes: str, them: str) -> str:
    return (f"somebody else said something about this ({who}: {notes}), which no answer cites before you vouch for "
            f"{them}: import the file again with --as logged")
def written_by_others(who: str, notes: str, them: str) -> str:
    return f"somebody else wrote about this ({who}: {notes}), so no answer cites {them}; note what is true yourself"
def unmark_first(note: str) -> str:
    return f"{note} is marked for removal; to approve it, take the mark away first: voice removals unmark {note}"
def not_waiting(note: str) -> str:
    return (f"{note} is not a note of a program that waits for your approval; if it is what somebody else said, "
            f"{AS_LOGGED}")
def confidence_now(now: int, before: int) -> str:
    return f"{now} % sure now, {before} % when recorded"

# Ids, values and tags of rows
NOT_A_ROW_ID: Final = "that is not the id of a memory row; ids look like t:…, e:…, o:… or r:…"
YEAR_OUT_OF_RANGE: Final = "is out of range; the year must lie between 2 and 9998"
SPAN_REVERSED: Final = "a provenance span must satisfy 0 <= start <= end"
ROW_ID_SHAPE: Final = "a row id must look like prefix:key"
ZERO_VECTOR: Final = "a zero vector has no direction and cannot be stored"
def no_time_zone(what: str) -> str:
    return f"{what} has no time zone; write it like 2026-03-05T14:00:00Z"
def vector_length(dim: int, length: int) -> str:
    return f"a vector of dimension {dim} must have {length} bytes"
def tag_too_long(chars: int, most: int) -> str:
    return f"tags: one has {chars:,} characters; a tag has at most {most}"
PARTS_UNNAMED: Final = "only a thought that counts in part names its parts"
def id_too_short(said: str, least: int) -> str:
    return f"{said!r} is too short for an id; give at least {least} characters after the colon"
def no_id_begins_with(start: str) -> str:
    return f"no id begins with {start!r}; `voice retrieve` and `voice kg list` show ids"
def id_ambiguous(said: str, ids: str) -> str:
    return f"{said!r} could mean several: {ids}; use more of the id"

# Pins
PIN_REASON_MISSING: Final = "a pin needs a reason: say in a few words why it matters"
PIN_LASTS_AND_ENDS: Final = "say how long the pin lasts or when it ends, not both"
PIN_ENDED: Final = "a pin must end in the future; give a later time"
PIN_OF_ALL: Final = "a pin belongs to one scope; without a scope it takes that of its target"
DURATION_SHAPE: Final = "write how long as a whole number and m, h, d or w, such as 12h or 7d"
def cannot_pin(row: str) -> str:
    return (f"{row} cannot be pinned: it waits for approval, was replaced, redacted or marked for removal, the inner "
            "voice wrote it, or it is a summary that is empty or outdated")
def no_such_id(named: str) -> str:
    return f"there is no {named} in this memory; `voice retrieve` and `voice kg list` show ids"
def no_pin_target(said: str) -> str:
    return f"there is no {said!r} to pin; `voice retrieve` and `voice kg list` show ids"
def pin_private(row: str) -> str:
    return f"{row} is private; allow private rows with --private to pin it"
def pin_reason_too_long(chars: int, most: int) -> str:
    return f"the reason has {chars:,} characters; use at most {most}"
def pin_lasts_too_long(days: int) -> str:
    return f"a pin lasts at most {days} days; without an end it stays forever"
def pin_out_of_scope(row: str) -> str:
    return f"{row} is not in that scope, so you would never see the pin; leave the scope out"
PIN_EXPIRES_FIRST: Final = "a pin must expire after it was made"
def kind_shape(most: int, such_as: str) -> str:
    return f"a kind is one word of at most {most} letters, digits, _ or -, such as {such_as}"

# Capsules
CAPSULE_OF_ALL: Final = "a capsule belongs to one scope; `all` is for reading only"
SUMMARY_CONFIDENCE: Final = "the confidence of a summary is a number from 0 to 1"
def capsule_closed(capsule: str) -> str:
    return f"{capsule} is closed; open a new one with `voice capsules open`"
def capsule_out_of_scope(capsule: str) -> str:
    return f"{capsule} belongs to another scope; name the capsule to add the thought to it"
def too_many_sources(most: int) -> str:
    return f"a summary names at most {most} rows that it rests on; name the most important"
def source_not_stored(row: str) -> str:
    return f"a summary rests on stored rows only, and {row!r} is not stored"
def source_redacted(row: str) -> str:
    return f"{row} repeats redacted text; a summary cannot rest on it"
def source_not_live(row: str) -> str:
    return f"{row} was replaced, redacted or marked for removal; a summary cannot rest on it"
def source_out_of_scope(row: str, capsule: str) -> str:
    return f"{row} is not in the scope of {capsule}; a summary cannot rest on it"
def capsule_text_empty(what: str) -> str:
    return f"{what} is empty; say it in a few words"
def capsule_text_too_long(what: str, chars: int, most: int) -> str:
    return f"{what} has {chars:,} characters; use at most {most:,}"

# Scopes, and how much to recall
SCOPE_REQUIRED: Final = ("some of this memory belongs to a scope: name a session, repository, agent or user, or ask "
                         "for `all`, which includes what has no scope")
def scope_required_of(scopes: str) -> str:
    return f'some of this memory belongs to a scope: pass scope, such as {scopes}"here" (your repository) or "all"'
def scope_shape(known: str, names: str) -> str:
    return f"write a scope as dimension=value with one of {known}, or as {names}"
def scope_twice(dimension: str) -> str:
    return f"a scope can name {dimension} only once"
def provider_unnamed(default: str) -> str:
    return f"a provider has a name, such as {default}; leave it out to use {default}"

# What recall says about itself
SUMMARY_IS_PINNED: Final = "the current summary is pinned, so it is listed among the pins"
def redacted_left_out(count: int, plural: str) -> str:
    return f"no place or budget left for {count} redacted row{plural}"
def pins_without_target(count: int) -> str:
    pins = "1 pin points" if count == 1 else f"{count} pins point"
    return f"{pins} to a row that is gone or that searches no longer find; `voice pins list` shows them"
def instructions_kept_out(count: int, ids: str) -> str:
    read = "candidate was kept out because it reads" if count == 1 else "candidates were kept out because they read"
    return f"{count} {read} like instructions to a model: {ids}; SURR_QUARANTINE_INSTRUCTIONS=0 lets such notes in"
def shown_though(ids: str) -> str:
    return f"careful with {ids}: shown, although the text reads like instructions to a model"

# Who holds the store
KEEPS_NEWER_STORE: Final = "keeps the store in a newer form"
SPEAKS_NEWER_PROTOCOL: Final = "speaks a newer protocol"
THE_HOLDER: Final = "the process that holds it"
def held_with_other_settings(holder: str, theirs: str, mine: str) -> str:
    return (f"{holder} holds the store with {theirs}, but this program uses {mine}; use the same settings, or "
            "close it")
def not_answered(holder: str, seconds: float) -> str:
    return f"{holder} has not answered for {seconds:g} seconds"
def holder_busy(directory: str, silence: str) -> str:
    return f"the store {directory} is held, but {silence}, though it runs: it is busy or stuck; try again, or end it"
def wake(pid: int) -> str:
    return f"wake it (kill -CONT {pid}), "
def holder_stopped(directory: str, silence: str, awake: str) -> str:
    return f"the store {directory} is held, but {silence}: it is stopped, stuck or busy; {awake}end it, or try again"
def store_missing(directory: str, holder: str) -> str:
    return (f"the store {directory} is missing: it was deleted, emptied or moved while {holder} held it, and nothing "
            "more was written; close every program that uses it, then put it back, or restore a backup with: voice "
            "maintain restore-backup FILE, and start them again")
def store_detached(holder: str, directory: str) -> str:
    return (f"{holder} holds a store that is no longer in {directory}: it was deleted, moved or replaced, and what "
            "you write there now is lost when it ends")
def restore_again(users: str = "") -> str:
    named = f" ({users})" if users else ""
    return f"close every program that uses it{named}, delete the store and restore the backup again"
def restore_unfinished(users: str = "") -> str:
    return f"a restore into this store did not finish; {restore_again(users)}"
def outcome_unknown(purpose: str, why: str) -> str:
    return (f"it is unknown whether the store did this ({purpose}), because {why}; check whether it is "
            "there before you do it again")
def too_old(holder: str, theirs: str, what: str, mine: str) -> str:
    return (f"{holder} is voice {theirs} and {what} than this one, voice {mine}, knows; use the same version, or "
            "close it")

# The check-up: the data directory
def run(command: str) -> str:
    return f"run: {command}"
def path_missing(path: str) -> str:
    return f"{path} does not exist"
def not_a_directory(path: str) -> str:
    return f"{path} is not a directory"
OTHER_HOME: Final = "choose another directory with --home or VOICE_HOME"
def disk_read_only(path: str) -> str:
    return f"{path} is on a read-only disk"
REMOUNT: Final = "mount the disk for writing, or choose another directory with VOICE_HOME"
def not_writable(path: str) -> str:
    return f"you cannot write to {path}"
FIX_PERMISSIONS: Final = "change its permissions, or choose another directory with VOICE_HOME"
def home_open(path: str, mode: int) -> str:
    return f"{path} has mode {mode:04o}; others can look into it"
def home_private(path: str) -> str:
    return f"{path}; only its owner can read it"
def home_taken(path: str) -> str:
    return f"{path} no longer exists; it was deleted or moved while this program had it open"
RESTORE_HOME: Final = ("close every program that uses it, then put it back if it was moved, or restore a backup: voice "
                       "maintain restore-backup FILE")
def key_missing(path: str) -> str:
    return f"{path} is missing; the store's hashes were made with it"
RESTORE_KEY: Final = "put your copy of it back"
KEY_NOT_MADE: Final = "does not exist yet; voice makes it with the store"
def not_a_key(path: str) -> str:
    return f"{path} is not a key"
def key_shared(path: str) -> str:
    return f"others can read {path}"
KEY_PRIVATE: Final = "only its owner can read it; keep a copy with your backups"
RIGHTS_PRIVATE: Final = "only their owner can read the store and the index"
def shared_with_others(path: str, mode: int, more: int) -> str:
    also = f", and to {more} more" if more else ""
    return f"others have access to {path} (mode {mode:04o}){also}"
DISK_UNKNOWN: Final = "voice cannot tell how much disk space is free"
def disk_free(gigabytes: float) -> str:
    return f"{gigabytes:.1f} GB free"
FREE_SPACE_FIRST: Final = "free disk space before you store anything"
FREE_SPACE_SOON: Final = "free disk space soon"
def less_than_data(room: str, gigabytes: float) -> str:
    return f"{room}, less than the {gigabytes:.1f} GB of data"
BACK_UP_ELSEWHERE: Final = "keep backups on another disk, or free disk space"

# The check-up: the store and who holds it
def store_vanished(path: str) -> str:
    return f"{path}/memory is missing, but the search index shows that it existed"
def restore_or_remove(index: str) -> str:
    return f"restore a backup, or accept the loss and remove {index}"
def store_absent(path: str) -> str:
    return (f"{path}/memory holds no store, but the key exists: nothing was stored on this disk yet, or the store was "
            "emptied, deleted or moved")
def put_store_back(program: str) -> str:
    return f"if you had a store there, put it back, or restore a backup: {program} maintain restore-backup FILE"
NOTHING_STORED: Final = "nothing has been stored yet"
HELD_ELSEWHERE: Final = "the store is not on this disk, so no process holds it"
END_OR_WAKE: Final = "end that process, or wake it"
CLOSE_ALL: Final = "close every program that uses the memory, then run: voice doctor"
CLOSE_HOLDER: Final = "close that process before another one needs the memory"
NOT_HELD: Final = "no process holds the store"
CLEANED_UP: Final = "no process holds the store; voice removed what a killed one left behind"
def held_by(holder: str, version: str, since: datetime, guests: str) -> str:
    used = f"it is also used by {guests}" if guests else "no other process uses it"
    return f"{holder}, voice {version}, has held the store since {since:%Y-%m-%d %H:%M:%S} UTC; {used}"
def schema_current(step: str) -> str:
    return f"up to date; its newest step is {step}"
NOTES_COMPLETE: Final = "every note is complete"
def notes_in_part(rows: str) -> str:
    return f"a killed command stored only a part of some notes: {rows}"
REPAIR_NOTES: Final = "list what is left of them: voice maintain verify; repair it: voice maintain verify --mend"
def targets_gone(astray: int, pins: int) -> str:
    return f"the targets of {astray} of {pins} are gone"
SEE_PINS: Final = "list them: voice pins list --all; remove one: voice pins remove"
NO_PINS: Final = "none"
def pins_whole(pins: int) -> str:
    return f"{pins}, each with its target"

# The check-up: settings, prompts, clock
SEE_CONFIG: Final = "see: voice config"
SETTINGS_VALID: Final = "all settings are valid"
SWITCHED_ON: Final = "the inner voice is switched on"
QUESTIONS_REFUSED: Final = "the inner voice is switched off, so voice refuses questions"
SWITCH_ON: Final = "write enabled = true at the top of voice.toml, or set SURR_ENABLE_INNER_VOICE=1"
def zone_missing(zone: str) -> str:
    return f"this machine does not have the rules of {zone}; days and hours would be wrong"
INSTALL_ZONES: Final = "install the package tzdata, or set SURR_TIMEZONE to a zone that this machine has"
def prompts_unchanged(count: int) -> str:
    return f"{count} versions, each as it was released"
def reinstall(in_checkout: str) -> str:
    return f"install voice again; in a checkout, {in_checkout}"
CLOCK_UNSTEADY: Final = "the machine's stopwatch runs backwards; durations would be wrong"
RESTART: Final = "restart the machine"
SET_CLOCK: Final = "set the clock"
SET_CLOCK_FIRST: Final = "set the clock; what you store now gets wrong times"
SET_CLOCK_UNLESS: Final = "set the clock, unless that row was imported with a time of its own"
def clock_shows(now: datetime) -> str:
    return f"{now:%Y-%m-%d %H:%M} UTC"
def clock_too_early(now: datetime) -> str:
    return f"it is set to {now:%Y-%m-%d}, before this program was written"
def clock_behind_turn(now: datetime, newest: datetime) -> str:
    return f"it shows {clock_shows(now)}, but the newest turn was stored at {clock_shows(newest)}"
def clock_behind_row(now: datetime, newest: datetime) -> str:
    return f"it shows {clock_shows(now)}, but the newest row was recorded at {clock_shows(newest)}"
def reach_again(program: str) -> str:
    return f"if that has changed, run: {program} doctor --reach"

# The check-up: vectors and the search index
def all_have_vectors(rows: int) -> str:
    return f"all {rows} rows have one"
def foreign_vectors(rows: int) -> str:
    return f"{rows} {'row has' if rows == 1 else 'rows have'} a vector of another encoder"
def vectors_missing(rows: int) -> str:
    return f"{rows} {'row has' if rows == 1 else 'rows have'} no vector"
def found_by_words(rows: str) -> str:
    return f"{rows}; only words find them"
REINDEX: Final = "run: voice maintain rebuild"
def index_matches(rows: int) -> str:
    return f"in step with the store: {rows} rows counted"
def index_proven(asked: int, by_vector: int) -> str:
    by = "words and vector" if by_vector == asked else f"words, {by_vector} also by their vector"
    return f"; searches for {asked} of them by their own {by} found each"
def index_caught_up(behind: int) -> str:
    return f"; it was {behind} change{'' if behind == 1 else 's'} behind and has caught up"
INDEX_UNOPENED: Final = "it was not opened yet"
def index_behind(changes: int) -> str:
    return f"it is {changes} change{'' if changes == 1 else 's'} behind"
def index_updates_itself(seen: str) -> str:
    return f"{seen}; the next search brings it up to date"
SEARCH_FIRST: Final = "search for something, then run: voice doctor"
