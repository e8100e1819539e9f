"""What to do about an error, in the words of the entry point it is reported at.

Law: an error says what was wrong and what there is to do about it; by which option or parameter that is done only the
door knows. It is told behind the message, in brackets, and no door names an option of another one.

Source: DESIGN 8; docs/errors.md.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from voice.core.errors import NoSession, ScopeRequired, VoiceError
from voice.core.graph.review.promotion import EndMissing

Words = Mapping[type[VoiceError], str]
"""By the kind of an error, how it is done; an error belongs to the first kind that it is of."""

NO_WORDS: Final[Words] = MappingProxyType({})
"""Of where it is done by what stands beside it."""
AT_THE_COMMAND_LINE: Final[Words] = MappingProxyType(
    {
        ScopeRequired: "`--scope user=ann`, `--repo DIR`; everything: `--scope all`, or `scope.default = all` for good",
        NoSession: 'start: `--new "topic"`; continue: `-s ID`; reopen: `voice sessions edit ID --status open`',
        EndMissing: "approve both: `--with-ends`; use another: `voice kg edit {candidate} --{which} e:…`",
    }
)
IN_A_CONVERSATION: Final[Words] = MappingProxyType(
    {**AT_THE_COMMAND_LINE, NoSession: "start: `/new TOPIC`; continue or reopen: `/switch SESSION`"}
)
OVER_HTTP: Final[Words] = MappingProxyType(
    {
        ScopeRequired: '`scope`, such as `{"user_id": "ann"}`; everything: `scope`, "all"',
        NoSession: "start: `new_topic`; continue: `session`; reopen: `PATCH` with `status`, `open`",
        EndMissing: "approve both: `with_ends`, true; use another: the verdict `edit` with `{which}`",
    }
)
OVER_COMPLETIONS: Final[Words] = MappingProxyType(
    {
        ScopeRequired: "the header `X-Voice-Scope`, such as `user=ann`; everything: `all`",
        NoSession: "start: another name in the header `X-Voice-Session`, or in `user`",
    }
)
OVER_MCP: Final[Words] = MappingProxyType(
    {
        NoSession: 'start: `mode`, "new_thread"; continue: `session`',
        EndMissing: 'approve both: `with_ends`, true; use another: `action`, "edit", with `{which}`',
    }
)


def message_with_advice(error: VoiceError, words: Words) -> str:
    """Return the message of an error, with how what it advises is done at a door."""
    how = next((each for kind, each in words.items() if isinstance(error, kind)), None)
    if how is None:
        return error.message
    if isinstance(error, EndMissing):  # "{which}" is the end that is missing: source or target
        how = how.replace("{candidate}", error.candidate_id).replace("{which}", error.which)
    return f"{error.message} ({how})"
