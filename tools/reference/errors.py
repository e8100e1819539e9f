"""docs/errors.md: every code of the one error tree, how each door tells it, and what to do.

The codes, the exit codes and what may be tried again are the classes' own (`voice.core.errors`), the statuses the HTTP
door's (`voice.entrypoints.web.responses`). Only what to do is written here, once for each code.
"""

from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec

from reference.markdown import table
from voice.core import errors
from voice.core.errors import VoiceError
from voice.entrypoints.mcp.client_replies import codes_of

_PROBLEMS = "voice.entrypoints.web.responses"
WHAT_TO_DO = {
    "internal_error": "This is a fault of the program. Run it again with `VOICE_DEBUG=1` to see where it happened.",
    "feature_disabled": "Run `voice init`, or set `enabled = true` in voice.toml (or `SURR_ENABLE_INNER_VOICE=1`).",
    "invalid_params": "Correct what the message names; `--help` shows the valid options.",
    "unknown_id": "Look it up (`voice kg list`, `voice sessions list`, …); you may have forgotten it.",
    "scope_required": "Name a scope (`--scope repo=…`), or ask for everything with `--scope all`.",
    "capsule_closed": "Open another one (`voice capsules open`).",
    "key_reused": "Use a new key for a new question; a repeated call must be identical.",
    "configuration_error": "Correct the setting that the message names; `voice config` shows where each value is from.",
    "db_error": "Run `voice doctor`; it says what is wrong with the store and what to do.",
    "store_held": "Close the program that the message names.",
    "store_unavailable": "Try again; if it happens again, check the disk, or the server that `SURR_DB_URL` names.",
    "outcome_unknown": "Check whether it is there (`voice sessions show`, `voice kg list`); if not, repeat it.",
    "schema_drift": "Use the version of the program that made the store, or restore a backup with this one.",
    "store_damaged": "Close every program that uses the memory, and restore a backup: `voice maintain restore-backup`.",
    "session_conflict": "Ask again; `voice` has kept the other writer's turn, and the cost of yours.",
    "already_asked": "Ask again with the same key: the stored turn comes back.",
    "no_session": "Start one: `voice ask --new TOPIC`.",
    "reranker_unavailable": "Run `voice models install reranker`, or set SURR_RERANKER=none to do without.",
    "embedder_unavailable": "Run `voice doctor`. Nothing is lost: `voice maintain rebuild vectors` encodes the rest.",
    "retrieval_provider_error": "Fix or remove the provider that the message names (`retrieve.provider`).",
    "verifier_failed": "`voice` judged the turn without it. Fix the verifier that the message names.",
    "opinion_malformed": "`voice` judged the turn without it: the verifier's reply has the wrong form.",
    "provider_error": "Read what the message says; `voice ask -m extractive` answers without a provider.",
    "provider_unavailable": "Try again; the provider is busy or cannot be reached.",
    "provider_rejected": "Correct key, model or size of the prompt, as the message says; trying again does not help.",
    "deadline": "Allow more time (`llm.deadline_s`), or ask a faster model.",
    "budget": "Raise the cap that the message names, or wait for the next day or month; see `voice report cost`.",
    "data_file_error": "Correct the file in the place that the message names.",
}
"""What a person does about each code."""

_HEAD = """\
# Error codes

<!-- Made from the code; `make docs` writes it again. -->

Each failure has a message of one line that says what to do, and a stable code. The command line prints both on standard
error and ends with the exit code; a program catches the class, from `voice.core.errors`. No message contains words of a
note, a prompt or a draft; if a name is ambiguous, it lists topics or names. A refusal is not an error, but an
[answer](concepts.md#refusal). ↻: another try may help.
"""


def errors_markdown() -> str:
    """Return docs/errors.md.

    Raises:
        LookupError: a code has nothing to do beside it, or a status is missing.
    """
    return "\n".join(_lines()).rstrip() + "\n"


def tree() -> Iterator[type[VoiceError]]:
    """Yield every class of the tree, each before those below it, in the order they are written."""
    yield from _below(VoiceError)


def _below(parent: type[VoiceError]) -> Iterator[type[VoiceError]]:
    yield parent
    for child in vars(errors).values():
        if isinstance(child, type) and parent in child.__bases__:
            yield from _below(child)


def _statuses() -> dict[str, tuple[int, str]]:
    """Return the HTTP door's statuses and titles, by code; empty where the program has no HTTP door."""
    if find_spec("voice.entrypoints.web") is None or find_spec(_PROBLEMS) is None:
        return {}
    return dict(import_module(_PROBLEMS).TITLES)


def _lines() -> Iterator[str]:
    statuses = _statuses()
    yield _HEAD
    yield from table(
        ("code", "class", "exit", *(("HTTP",) if statuses else ()), "what it means", "what to do"),
        [
            (
                f"`{cls.code}`{' ↻' if cls.retryable else ''}",
                f"`{cls.__name__}`",
                f"{cls.exit_code}",
                *((f"{statuses[cls.code][0]}",) if statuses else ()),
                (cls.__doc__ or "").splitlines()[0],
                WHAT_TO_DO[cls.code],
            )
            for cls in tree()
        ],
    )
    finer = [cls for cls in tree() if codes_of(cls(""))["code"] != cls.code]
    yield from (f"Over MCP the `code` of {_listed(finer)} is `db_error`, with the code above as `reason`.", "")
    only_http = {code: told for code, told in statuses.items() if code not in WHAT_TO_DO}
    if only_http:
        yield from ("## Codes of HTTP alone", "")
        yield from table(
            ("code", "status", "what it says"),
            [(f"`{code}`", str(status), title) for code, (status, title) in only_http.items()],
        )


def _listed(classes: Sequence[type[VoiceError]]) -> str:
    return ", ".join(f"`{cls.code}`" for cls in classes)
