"""The contract of each tool: its name, its parameters, what it may do.

Law: a tool is described once, here, and what it takes of a request that other doors have, too, in `voice.requests`; its
input schema, what is accepted of what models send, and `detailed_help` are all made from it. Plain values: a host asks
for the list of tools first.

What comes in here is the calling program's words, never the person's (ruling H), and what it decides is not what a
human approved (ruling C10). What takes something away is a dry run until it is told otherwise (ruling F). A program
corrects what a program noted; whether a note counts is its owner's to say, so a program can only see it (ruling J2).

Source: DESIGN 6, 8 MCP; ECOSYSTEM 2.2, 2.3; spec rag-organize 2, 5, 6; rulings A9, A21, A22, A24, C20, J1.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from voice.requests import Parameter, questions, rows
from voice.requests.questions import COUNT, INCLUDE_PRIVATE, SCOPE
from voice.requests.rows import IDS, ROW


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool, as a host lists it."""

    name: str
    title: str
    about: str
    parameters: tuple[Parameter, ...]
    example: Mapping[str, object]
    """Arguments of a call that works on any memory."""
    writes: bool = False
    destroys: bool = False
    repeatable: bool = False
    """The same call again changes nothing more."""
    reaches_out: bool = False
    """It may ask a model that runs elsewhere, an encoder among them, if the settings name one."""
    is_gated: bool = False
    """It is refused while the inner voice is switched off (ruling A8)."""

    @property
    def dotted(self) -> str:
        """The name it has in the specifications."""
        return self.name.replace("inner_voice_", "inner_voice.")

    def annotations(self) -> dict[str, object]:
        """Return what a host may rely on when it decides whether to ask its person first."""
        return {
            "title": self.title,
            "readOnlyHint": not self.writes,
            "destructiveHint": self.destroys,
            "idempotentHint": self.repeatable or not self.writes,
            "openWorldHint": self.reaches_out,
        }


RETRIEVE = Tool(
    name="inner_voice_retrieve", title="Retrieve snippets of the memory",
    about="Use when you want ranked word-for-word snippets of the person's notes and graph, with provenance and "
    "scores, as evidence for your own reasoning.",
    parameters=questions.RETRIEVE.at("mcp"),
    example={"query": "how the kiln was wired", "top_k": 5},
    repeatable=True, reaches_out=True, is_gated=True,
)  # fmt: skip

ORGANISE = Tool(
    name="inner_voice", title="Answer from notes and organise them",
    about="Use to sum up and organise notes on a topic: a RAG query with optional knowledge-graph "
    "staging that saves its summary when save=true (the default).",
    parameters=(
        Parameter(
            name="content", kind="text", required=True, about="The question.",
            also=("query", "question", "q", "text", "prompt", "input"),
        ),
        Parameter(name="top_k", kind="integer", about="How many notes at most, 1 to 50 (default 5).", also=COUNT),
        Parameter(
            name="sim_thresh", kind="number", about="Lowest cosine similarity of a note, 0 to 1 (default 0.5).",
            also=("threshold", "similarity", "min_score"),
        ),
        Parameter(
            name="stage_kg", kind="flag", about="Stage their entities and relations (default false).", also=("stage",)
        ),
        Parameter(
            name="confidence_min", kind="number", about="Stage only candidates with at least this confidence.",
            also=("min_confidence",),
        ),
        Parameter(name="max_nodes", kind="integer", about="Stage at most this many entities (default 30)."),
        Parameter(name="max_edges", kind="integer", about="Stage at most this many relations (default 60)."),
        Parameter(
            name="save", kind="flag", about="Store the answer as a thought, which is never a source (default true)."
        ),
        Parameter(
            name="auto_mark_removal", kind="flag",
            about="Mark the notes for removal after staging (default from the settings).",
        ),
        SCOPE.at("mcp"),
        INCLUDE_PRIVATE,
        Parameter(name="dry_run", kind="flag", about="Answer, count and change nothing (default false)."),
    ),
    example={"content": "who works where", "stage_kg": True, "dry_run": True},
    writes=True, reaches_out=True, is_gated=True,
)  # fmt: skip

CHAT = Tool(
    name="inner_voice_chat", title="Ask the inner voice",
    about="Use when a question about the person or their notes needs an answer: each sentence is proven with "
    "quotes from the memory, or the question is refused: report the refusal, and do not fill the gap.",
    parameters=questions.ASK.at("mcp"),
    example={"query": "Where did I leave the kiln?"},
    writes=True, reaches_out=True, is_gated=True,
)  # fmt: skip

RECALL = Tool(
    name="recall", title="Recall what matters",
    about="Use at the start of a task to load what the person pinned, the summary of the open piece of work and the "
    "notes nearest to it, all within a token budget.",
    parameters=questions.RECALL.at("mcp"),
    example={"query": "the authentication bug", "token_budget": 2000},
    repeatable=True, reaches_out=True, is_gated=True,
)  # fmt: skip

GET = Tool(
    name="get_row", title="Read one row",
    about="Use when you have the id of a row (t:, e:, o:, r:) and need all of it: words, date, origin, provenance "
    "and what replaced it.",
    parameters=(
        Parameter(name="id", kind="text", required=True, about="The row, such as t:01jq… or o:7f3c….", also=ROW),
        SCOPE.at("mcp"),
        INCLUDE_PRIVATE,
    ),
    example={"id": "t:01jqkiln"},
    repeatable=True, is_gated=True,
)  # fmt: skip

REMEMBER = Tool(
    name="remember", title="Remember a thought",
    about="Use when something new should outlast this conversation: searches find it at once, and answers cite it "
    "once the person approves it (see vouch_status).",
    parameters=rows.REMEMBER.at("mcp"),
    example={"content": "The tests need a running database.", "tags": ["setup"]},
    writes=True, reaches_out=True,
)  # fmt: skip

CORRECT = Tool(
    name="correct", title="Correct a row",
    about="Use when a row that a program noted is wrong or out of date: your words take its place, and the old ones "
    "stay as the past.",
    parameters=rows.CORRECT.at("mcp"),
    example={"id": "t:01jqkiln", "text": "The kiln is in the garage.", "dry_run": True},
    writes=True, reaches_out=True,
)  # fmt: skip

PIN = Tool(
    name="pin", title="Pin a row",
    about="Use when a row must come first in every later recall, in its scope, until a day you can set.",
    parameters=(
        Parameter(name="id", kind="text", required=True, about="The row to pin.", also=ROW),
        Parameter(
            name="reason", kind="text", required=True, is_literal=True, about="Why it matters, in a few words.",
            also=("why",),
        ),
        Parameter(name="until", kind="text", about="When the pin ends; default: never.", also=("expires_at",)),
        replace(SCOPE, about="Where it applies: some of the row's own dimensions; default: the scope of the row."),
    ),
    example={"id": "t:01jqkiln", "reason": "the task at hand", "until": "2027-01-01"},
    writes=True, repeatable=True,
)  # fmt: skip

VOUCH_STATUS = Tool(
    name="vouch_status", title="See which notes count",
    about="Use when you want to know what became of notes that programs stored with remember: waiting for the person's "
    "approval, with the sentences that wait, approved, approved in part, or declined.",
    parameters=(
        Parameter(name="ids", kind="texts", about="These notes (t:…); default: the newest.", also=("id", "notes")),
        Parameter(
            name="state", kind="text", about="Only notes in this state.",
            choices=("waiting", "approved", "partly", "declined"), also=("status",),
            meant=(("pending", "waiting"), ("rejected", "declined"), ("accepted", "approved")),
        ),
        Parameter(name="from", kind="text", about='Only notes from this program, such as "codex".', also=("agent",)),
        Parameter(name="since", kind="text", about="Only notes from that time on."),
        Parameter(name="limit", kind="integer", about="How many notes, 1 to 100 (default 10).", also=("count", "n")),
        Parameter(
            name="token_budget", kind="integer", about="The most tokens of the whole result (default 2000).",
            also=("tokenBudget", "budget", "max_tokens"),
        ),
        Parameter(name="after", kind="text", about="Continue after a page (its `next`).", also=("cursor", "next")),
        INCLUDE_PRIVATE,
    ),
    example={"state": "waiting"},
    repeatable=True,
)  # fmt: skip

MODERATE = Tool(
    name="knowledgegraph_moderate", title="Review candidates and conflicts",
    about="Use when the person decides on entities and relations found in notes: list them, then approve, reject, "
    "reopen, edit or alias them by id, several as one batch; or when they ask which statements cannot both be true "
    "(conflicts), and resolve one.",
    parameters=(*rows.MODERATE.at("mcp"), *rows.CANDIDATES.without("type").at("mcp")),
    example={"action": "list", "limit": 10},
    writes=True, reaches_out=True, repeatable=True,
)  # fmt: skip

MAINTAIN = Tool(
    name="maintenance_ops", title="Archive and remove marked thoughts",
    about="Use to remove whole notes from the memory, step by step: mark_for_removal or unmark, "
    "list_removal_candidates, export_removals into an archive, finalize_removal.",
    parameters=(
        Parameter(
            name="subcommand", kind="text", required=True, about="What to do.",
            choices=(
                "list_removal_candidates", "mark_for_removal", "unmark", "export_removals", "finalize_removal",
            ),
            also=("action", "command", "op", "operation", "sub_command", "subCommand"),
            meant=(("list", "list_removal_candidates"), ("mark", "mark_for_removal"), ("export", "export_removals"),
                   ("finalize", "finalize_removal"), ("finalise", "finalize_removal"),
                   ("finalise_removal", "finalize_removal"), ("finalize_removals", "finalize_removal"),
                   ("export_removal", "export_removals"), ("list_removals", "list_removal_candidates")),
        ),
        Parameter(
            name="ids", kind="texts", about="The thoughts (t:…); default: all marked; needed to mark.", also=IDS
        ),
        Parameter(
            name="format", kind="text", about="export_removals: the format of the archive (default from the settings).",
            choices=("parquet", "jsonl"),
        ),
        Parameter(
            name="dry_run", kind="flag",
            about="Show what would be done (default true for finalize_removal, else false).",
        ),
        INCLUDE_PRIVATE,
    ),
    example={"subcommand": "list_removal_candidates"},
    writes=True, destroys=True,
)  # fmt: skip

CHECK = Tool(
    name="check", title="Check an answer against facts",
    about="Use before you show a text of your own, to check it sentence by sentence against facts that you give, "
    "without the memory and without a model.",
    parameters=questions.CHECK.at("mcp"),
    example={"answer": "The kiln is in the shed [1].", "facts": [{"text": "The kiln is in the shed."}]},
    repeatable=True,
)  # fmt: skip

HELP = Tool(
    name="detailed_help", title="How to use these tools",
    about="Use when a tool's parameters or an error code are not clear to you.",
    parameters=(
        Parameter(name="tool", kind="text", about="One tool by name; default: all.", also=("name", "topic")),
        Parameter(
            name="format", kind="text",
            about="compact has only names and uses, full everything. Default: full for one tool, else compact.",
            choices=("compact", "full"),
        ),
    ),
    example={"tool": "inner_voice_chat"},
    repeatable=True,
)  # fmt: skip

TOOLS: tuple[Tool, ...] = (
    RETRIEVE, ORGANISE, CHAT, RECALL, GET, REMEMBER, CORRECT, PIN, VOUCH_STATUS, MODERATE, MAINTAIN, CHECK, HELP,
)  # fmt: skip
