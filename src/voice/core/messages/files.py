"""What you read of imports, settings, coding agents and the endpoints of models.

Source: docs/style.md.
"""

from datetime import date
from typing import Final

# fmt: off

# Dates
NOT_A_DATE: Final = "is not a date; write it like 2026-03-05T14:00:00Z or 2026-03-05"
NO_TIME_ZONE: Final = "has no time zone; write it like 2026-03-05T14:00:00Z"
DATE_AMBIGUOUS: Final = "can mean two days; write it like 2026-03-05"
DATES_UNCLEAR: Final = ("dates whose day and month may be swapped; set `voice config time.date_order` to day_first or "
                        "month_first, and import again")
NOTES_UNDATED: Final = "notes without a date"
CLOSEST_UNDATED: Final = "the closest notes have no date"
HOW_TO_DATE: Final = "to date a note, write `date: 2026-03-05` in its front matter or 2026-03-05 in its name"

# Lines of a memory file, and their fields
def field_missing(field: str) -> str:
    return f"“{field}” is missing or empty"
def must_be_texts(field: str) -> str:
    return f"“{field}” must be a list of texts"
def empty_text(field: str) -> str:
    return f"“{field}” holds an empty text"
def must_be_flag(field: str) -> str:
    return f"“{field}” must be true or false"
def must_be_numbers(field: str) -> str:
    return f"“{field}” must be a list of whole numbers"
def must_be_share(field: str) -> str:
    return f"“{field}” must be a number from 0 to 1"
def must_be_one_of(field: str, allowed: str) -> str:
    return f"“{field}” must be one of: {allowed}"
def must_be_objects(field: str) -> str:
    return f"“{field}” must be a list of objects"
def must_look_like(field: str, shapes: str) -> str:
    return f"“{field}” must look like {shapes}"
def must_be_count(field: str) -> str:
    return f"“{field}” must be a whole number of 0 or more"
def must_be_text(field: str) -> str:
    return f"“{field}” must be text"
def text_too_long(field: str, most: int) -> str:
    return f"“{field}” is longer than {most:,} characters; split it"
def has_nul(field: str) -> str:
    return f"“{field}” contains a NUL character; remove it"
def has_surrogate(field: str) -> str:
    return f"“{field}” contains half of a surrogate pair, which is not a character; remove it"
def must_be_object(field: str) -> str:
    return f"“{field}” must be an object"
NOT_UTF_8: Final = "is not UTF-8 text"
TOO_DEEP: Final = "is nested too deeply"
NOT_JSON: Final = "is not a JSON object; each line holds exactly one, like {…}"
NOT_AN_OBJECT: Final = "is JSON but not an object; each line holds exactly one, like {…}"
FIELD_TWICE: Final = "has a field twice"
MOMENT_MISSING: Final = "“at” is missing"
def another_version(reads: str) -> str:
    return f"the file has another version of this format; this program reads {reads}"
def another_format(reads: str) -> str:
    return f"the header of the file names another format; this program reads {reads}"
PROVENANCE_UNKNOWN: Final = "“provenance” names a thought that is neither in this file nor in the memory"
PROVENANCE_TOO_LONG: Final = "“provenance” holds a span that ends beyond its thought"
def entity_unclear(field: str) -> str:
    return f"“{field}” names an unknown entity, or more than one; use its id"

# Files of other programs, and what an import leaves out
def map_shape(fields: str) -> str:
    return f"--map takes OURS=THEIRS, like content=body; OURS is one of: {fields}"
def no_text_field(fields: str) -> str:
    return f"has no field that voice recognises as text; name it with --map content=FIELD; the fields are: {fields}"
def not_a_date(field: str) -> str:
    return f"“{field}” is not a date; write it like 2026-03-05T14:00:00Z"
def too_long(most: int) -> str:
    return f"is longer than {most:,} characters"
TOOL_MESSAGES: Final = "messages of tools and of the system"
ABANDONED_BRANCHES: Final = "messages of abandoned branches"
MESSAGES_WITHOUT_TEXT: Final = "messages without text (pictures, files)"
NOT_CHATGPT: Final = "has no “mapping”, so it is not a ChatGPT conversation"
WITHOUT_TEXT_OF_CLAUDE: Final = "messages without text (files, tools)"
THINKING_BLOCKS: Final = "blocks of thinking, tools and edits of artifacts"
NOT_CLAUDE: Final = "has no list of “chat_messages”, so it is not a Claude conversation"
TAKEN_BACK: Final = "messages undone in the session"
ATTACHMENTS: Final = "attachments not imported (pictures, recordings, documents)"
OUTSIDE_GEMINI: Final = "activities outside Gemini"
NOT_PROMPTS: Final = "activities that are not prompts"
TIME_UNREADABLE: Final = "has no readable “time”"
MAIL_WITHOUT_TEXT: Final = "emails without text of their own (quotations, signatures, attachments)"
MAIL_IN_BIN: Final = "emails in spam, bin or drafts"
MESSAGES_BY_PROGRAM: Final = "messages by the program itself"
CHATS_WITHOUT_TEXT: Final = "messages without text (pictures, recordings, files)"
BEFORE_FIRST_MESSAGE: Final = "comes before the first message and has no time"
TIME_INVALID: Final = "has an invalid time"
CHAT_WITHOUT_NAME: Final = "a chat without a name"
NOT_TELEGRAM: Final = "has no list of “messages”, so it is not a Telegram export"
NOTES_WITHOUT_TEXT: Final = "notes without text"
NOTES_IN_BIN: Final = "notes in the bin"

# Folders that a sync follows
def part_of_followed(part: str, folder: str) -> str:
    return (f"{part} is a part of {folder}, which voice syncs as one folder; use --private and --tag with {folder}. "
            "Nothing was changed")
def no_note_left(folder: str) -> str:
    return (f"found no notes in {folder}, so nothing was removed (is a disk not mounted?); if you deleted all of them, "
            "put one note there and sync again")

# Imports that stopped or still run
PIPED_INPUT: Final = "the piped input"
def import_stopped(what: str, name: str, records: str) -> str:
    return (f"the {what} of {name} stopped early, after {records}, so this answer may miss something; to finish it, "
            "run the same command again")
def import_running(what: str, name: str, records: str) -> str:
    return (f"the {what} of {name} is still running ({records} so far), so this answer may miss something; ask again "
            "when it is done")

# The switch
def switched_off(init: str) -> str:
    return (f"the inner voice is switched off; make a memory of your own with `{init}`, or set "
            "SURR_ENABLE_INNER_VOICE=1, or write enabled = true in voice.toml")

# Values of settings
MUST_BE_TEXT: Final = "must be text"
MUST_BE_FLAG: Final = "must be true or false"
SWITCH_UNREADABLE: Final = "is neither 1 nor 0 (true nor false), so the inner voice stays off"
MUST_BE_ONE_LINE: Final = "must be one line of text without control characters"
ADDRESS_WITH_USER: Final = "must not contain a user name or password; they have settings of their own"
def must_be_whole(given: str) -> str:
    return f"must be a whole number, not {given}"
def must_be_number(given: str) -> str:
    return f"must be a number, not {given}"
def clamped(given: float, used: float, low: float, high: float) -> str:
    return f"is {given}; using {used} ({low} to {high})"
def not_between(given: float, low: float, high: float, used: float) -> str:
    return f"is {given}, not between {low} and {high}; using {used}"
def must_be_money(given: str) -> str:
    return f"must be a sum of money like 0.05, not {given}"
def must_be_positive_money(given: str) -> str:
    return f"must be a sum of money, zero or more, not {given}"
def must_be_switch(given: str) -> str:
    return f"must be 1 or 0 (true or false), not {given}"
def must_be_among(allowed: str, given: str) -> str:
    return f"must be one of {allowed}, not {given}"
def must_be_plain_name(given: str) -> str:
    return f"must be a plain name of letters, digits, - and _, not {given}"
def must_be_names(count: int, chars: int) -> str:
    return f"must be up to {count} names of at most {chars} characters, separated by commas"
def must_be_globs(chars: int) -> str:
    return f"must be globs of paths, at most {chars:,} characters in total"
def must_be_half_lives(days: int) -> str:
    return (f"must be none, or classes with days (1 to {days}) or never, each class once, like works_at=730, "
            "born_in=never")
def must_be_address(schemes: str) -> str:
    return f"must be an address that starts with {schemes}"
def must_be_time_zone(given: str) -> str:
    return f"must be a time zone like Europe/Berlin or UTC, not {given}"

# Where settings stand
def unknown_setting(name: str, hint: str) -> str:
    return f"unknown setting {name!r}{hint}"
def overridden(variable: str, key: str) -> str:
    return f"{variable} of the environment is used instead of {key} in voice.toml"
def unknown_key(key: str, hint: str) -> str:
    return f"voice.toml has an unknown key {key!r}{hint}; voice ignores it"
def not_from_file(key: str, variable: str) -> str:
    return f"voice does not read {key} from voice.toml; set {variable} in the environment"
def unknown_variable(name: str, hint: str) -> str:
    return f"the environment has an unknown variable {name}{hint}; voice ignores it"
def did_you_mean(names: str) -> str:
    return f" (did you mean {names}?)"

# Providers
OR_OFFLINE: Final = "or choose the offline provider with SURR_INNER_VOICE_PROVIDER=extractive"
def key_missing(provider: str, variables: str, offline: str) -> str:
    return f"the provider {provider} needs a key: set {variables}, {offline}"
def unknown_provider(provider: str, meant: str, setting: str, usual: str) -> str:
    return (f"unknown provider {provider}{meant}; set {setting} to one of {usual}, or any other that litellm has, by "
            "its name there")
def if_newer(provider: str, variables: str) -> str:
    return f"If a newer litellm has {provider}, set {variables}"

# Settings that do not fit together
COSTS_KEPT: Final = "is off, but a spending cap counts what turns cost; voice keeps their costs"
def too_few_candidates(given: int, top_k: int, used: int) -> str:
    return f"is {given}, less than top_k ({top_k}); using {used}"
def floor_too_high(given: float, used: float) -> str:
    return f"is {given}, above floor; using {used}"
def above(given: int, other: str, used: int) -> str:
    return f"is {given}, above {other}; using {used}"
def model_missing(provider: str) -> str:
    return f"the provider {provider} needs a model: set SURR_INNER_VOICE_MODEL"
def must_be_provider_and_model(place: str, given: str) -> str:
    return f"{place} must be PROVIDER/MODEL, such as gemini/gemini-2.5-pro, not {given!r}"
def encoder_lacks(provider: str, what: str, variable: str) -> str:
    return f"the embedding provider {provider} needs a {what}: set {variable}"
ENCODER_FIXED: Final = "the encoder {} has one model of its own and runs here"
ENCODER_WITHOUT_FILE: Final = "the encoder {} reads no file of that kind"
PROVIDER_FIXED: Final = "the provider {} has no model and runs here"
STORE_ON_DISK: Final = "the store is not on a server"
NO_CHECKER: Final = "it is for the model that checks, and SURR_VERIFIER_MODEL names none"
VERIFIER_IS: Final = "the verifier is {}"
def default_of(name: str) -> str:
    return f"the default of {name}"
def in_file(key: str) -> str:
    return f"{key} in voice.toml"
def option(name: str) -> str:
    return f"the option {name}"
def ignored(place: str, why: str) -> str:
    return f"{place} is ignored: {why}"

# Hooks of coding agents
HOOKS_UNKNOWN: Final = "has hooks in a form that voice does not know"
HOOKS_CLOSED: Final = "has hooks in a form that voice cannot extend; add the entry by hand"
HOOK_REWRITTEN: Final = "has the entry of voice in another form; remove it by hand"
NOT_TOML: Final = "is not valid TOML"
def not_plain_json(where: str) -> str:
    return f"is not plain JSON{where}"

# What capturing leaves out
LIKE_CREDENTIALS: Final = "messages with what looks like a secret"
ABOUT_IGNORED_FILES: Final = "messages about files that you ignore"

# Endpoints of models
NO_REPLY_SCHEMA: Final = "no reply schema (response_format)"
NO_STREAMING: Final = "no streaming"
NO_STREAM_OPTIONS: Final = "no stream_options"
NO_TEMPERATURE: Final = "no temperature"
COMPLETION_TOKENS: Final = "max_completion_tokens instead of max_tokens"
MAX_TOKENS: Final = "max_tokens instead of max_completion_tokens"
NO_THINKING_LIMIT: Final = "no limit on thinking"
NO_SYSTEM_MESSAGE: Final = "no system message of its own"
def endpoint_takes(endpoint: str, parts: str, learned_on: date) -> str:
    return f"{endpoint} takes {parts}; voice learned this on {learned_on} and has asked that way since"
