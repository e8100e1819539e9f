"""The contracts of the tools that store, read, correct, review and remove rows, and of the help.

Law: what comes in here is the calling program's words, never the person's (ruling H), and what it decides is not what a
human approved (ruling C10). What takes something away is a dry run until it is told otherwise (ruling F).

The tools for one row: read it, correct it, pin it, and see whether it counts. A program corrects what a program noted;
a person's own words are theirs to correct (rulings C10, H). Whether a note counts is its owner's to say, so a program
can only see what they said (ruling J2).

Source: spec rag-organize 5 and 6; DESIGN 8; rulings A21, F, H; rulings J1, J2, F, G, H.
"""

from dataclasses import replace

from voice.entrypoints.mcp.tool_contract import INCLUDE_PRIVATE, SCOPE, Parameter, Tool

_IDS = ("id", "candidate", "candidates", "candidate_id", "candidate_ids", "thought", "thoughts", "items")

REMEMBER = Tool(
    name="remember",
    dotted="remember",
    title="Remember a thought",
    about="Use when something new should outlast this conversation: it is stored and found from now on, and answers "
    "cite it once the person has approved it (vouch_status tells).",
    parameters=(
        Parameter(
            name="content",
            kind="text",
            required=True,
            about="The thought, in whole sentences that stand by themselves.",
            also=("text", "thought", "note", "memory", "message", "input"),
        ),
        Parameter(name="tags", kind="texts", about="Its tags.", also=("tag", "labels")),
        Parameter(
            name="at",
            kind="text",
            about="When it was: 2026-03-05, 2026-03-05T14:00Z, or words such as \"last Friday\" (default now).",
            also=("created_at", "createdAt", "date", "when", "timestamp"),
        ),
        Parameter(
            name="private",
            kind="flag",
            about="Keep it out wherever private rows are not asked for (default false).",
            also=("is_private", "isPrivate"),
        ),
        Parameter(
            name="kind",
            kind="text",
            about="One word for what it is: note (default), tool_call, file_diff, …",
            also=("type",),
        ),
        Parameter(name="speaker", kind="text", about="Who says it.", also=("author",)),
        Parameter(name="thread", kind="text", about="The conversation or notebook it belongs to."),
        replace(SCOPE, about="Where it belongs: a session, repository, agent or user, one of each at most."),
        Parameter(
            name="capsule", kind="text", about="The open capsule it goes into; brings its scope.", also=("capsule_id",)
        ),
    ),
    example={"content": "The tests need a running database.", "tags": ["setup"]},
    writes=True,
    reaches_out=True,
    repeatable=False,
)  # fmt: skip

MODERATE = Tool(
    name="knowledgegraph_moderate",
    dotted="knowledgegraph_moderate",
    title="Review what was found for the knowledge graph",
    about="Use when the person tells you what becomes of entities and relations that were found in notes and wait: "
    "list them, then approve, reject, reopen, edit or alias them by id, several as one batch; or asks which statements "
    "cannot both be true (conflicts), and settles one.",
    parameters=(
        Parameter(
            name="action",
            kind="text",
            about="list (default), approve, reject, reopen (a rejected one waits again), edit, or alias (other names "
            "of `entity`); conflicts (list pairs that cannot both hold), correct (`target` is right), end (`target` "
            "has ended), or both_hold.",
            choices=("list", "approve", "reject", "reopen", "edit", "alias", "conflicts", "correct", "end",
                     "both_hold"),
            also=("decision", "command", "op", "operation", "subcommand"),
            meant=(("review", "list"), ("accept", "approve"), ("promote", "approve"), ("deny", "reject"),
                   ("merge", "alias"), ("update", "edit")),
        ),
        Parameter(
            name="ids",
            kind="texts",
            about="The candidates (c:…) to decide on; the conflict (d:…) to settle.",
            also=_IDS,
        ),
        Parameter(
            name="with_ends", kind="flag", about="approve: approve the entities a relation needs and that wait, too."
        ),
        Parameter(
            name="reason",
            kind="text",
            is_literal=True,
            about="reject: why; kept beside them.",
            also=("feedback", "why"),
        ),
        Parameter(
            name="entity",
            kind="text",
            is_literal=True,
            about="alias: the entity they are names of; its id, name or another name.",
            also=("of", "canonical_id", "canonical"),
        ),
        Parameter(name="name", kind="text", is_literal=True, about="edit: an entity's name."),
        Parameter(name="type", kind="text", about="edit: the type. list: only this type, such as person, works_at."),
        Parameter(name="aliases", kind="texts", about="edit: an entity's other names, in place of all."),
        Parameter(name="source", kind="text", is_literal=True, about="edit: a relation's source, by name or id."),
        Parameter(
            name="target",
            kind="text",
            is_literal=True,
            about="edit: a relation's target, by name or id. correct, end: one side of the conflict (o:…, r:…).",
        ),
        Parameter(name="description", kind="text", is_literal=True, about="edit: one sentence about it."),
        Parameter(name="dry_run", kind="flag", about="Decide and say so; write nothing (default false)."),
        Parameter(
            name="status",
            kind="text",
            about="list: which of them (default pending).",
            choices=("pending", "approved", "rejected", "all"),
        ),
        Parameter(
            name="kind",
            kind="text",
            about="list: only these.",
            choices=("entity", "relation"),
            meant=(("relationship", "relation"), ("edge", "relation"), ("entities", "entity"),
                   ("relations", "relation"), ("relationships", "relation"), ("node", "entity")),
        ),
        Parameter(name="min_confidence", kind="number", about="list: at least this sure, 0 to 1.", also=("min_conf",)),
        Parameter(name="max_confidence", kind="number", about="list: less sure than this.", also=("max_conf",)),
        Parameter(
            name="text",
            kind="text",
            is_literal=True,
            about="list: only those in whose name this stands. conflicts: what they are about.",
            also=("query",),
        ),
        Parameter(name="from_thought", kind="text", about="list: only those that rest on this thought (t:…)."),
        Parameter(name="since", kind="text", about="list, conflicts: only those of that time or later."),
        Parameter(
            name="limit",
            kind="integer",
            about="list: how many, 1 to 200; left out: as many as 800 tokens hold.",
            also=("count", "n"),
        ),
        Parameter(
            name="detail",
            kind="text",
            about="list: brief (default), or full: dates, confidence, every mention.",
            choices=("brief", "full"),
        ),
        Parameter(name="after", kind="text", about="list: go on where a page ended (its `next`).", also=("cursor",)),
        INCLUDE_PRIVATE,
    ),
    example={"action": "list", "limit": 10},
    writes=True,
    reaches_out=True,
    destroys=False,
    repeatable=True,
)  # fmt: skip

MAINTAIN = Tool(
    name="maintenance_ops",
    dotted="maintenance_ops",
    title="Archive and remove marked thoughts",
    about="Use when whole notes are to leave the memory, step by step: mark_for_removal or unmark, "
    "list_removal_candidates, export_removals into an archive, finalize_removal.",
    parameters=(
        Parameter(
            name="subcommand",
            kind="text",
            required=True,
            about="What to do.",
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
            name="ids", kind="texts", about="The thoughts (t:…); none: all that are marked, but for marking.", also=_IDS
        ),
        Parameter(
            name="format",
            kind="text",
            about="export_removals: of the archive (default from the settings).",
            choices=("parquet", "jsonl"),
        ),
        Parameter(
            name="dry_run",
            kind="flag",
            about="Say what would be done. finalize_removal: true unless you say false; the others: false.",
        ),
        INCLUDE_PRIVATE,
    ),
    example={"subcommand": "list_removal_candidates"},
    writes=True,
    destroys=True,
)  # fmt: skip

HELP = Tool(
    name="detailed_help",
    dotted="detailed_help",
    title="How to use these tools",
    about="Use when a tool's parameters or an error code are not clear to you.",
    parameters=(
        Parameter(name="tool", kind="text", about="One tool by name; left out: all of them.", also=("name", "topic")),
        Parameter(
            name="format",
            kind="text",
            about="compact is names and uses alone; full has everything. Left out: full for one tool, else compact.",
            choices=("compact", "full"),
        ),
    ),
    example={"tool": "inner_voice_chat"},
    repeatable=True,
)


_ROW = ("row", "row_id", "source_id", "target", "thought", "memory_id")

GET = Tool(
    name="get_row",
    dotted="get_row",
    title="Read one row",
    about="Use when you hold the id of a row (t:, e:, o:, r:) and want it whole: its words, date, origin, what it "
    "rests on and what replaced it.",
    parameters=(
        Parameter(name="id", kind="text", required=True, about="The row, such as t:01jq… or o:7f3c….", also=_ROW),
        SCOPE,
        INCLUDE_PRIVATE,
    ),
    example={"id": "t:01jqkiln"},
    repeatable=True,
    is_gated=True,
)

CORRECT = Tool(
    name="correct",
    dotted="correct",
    title="Correct a row",
    about="Use when a row that a program noted is wrong or out of date: your words take its place, and the old ones "
    "stay as the past.",
    parameters=(
        Parameter(name="id", kind="text", required=True, about="The row that is wrong.", also=_ROW[:4]),
        Parameter(
            name="text",
            kind="text",
            is_literal=True,
            about="What is true instead: the whole row anew.",
            also=("content", "new_text", "replacement"),
        ),
        Parameter(name="since", kind="text", about="Since when it is true; left out: the old words never were."),
        Parameter(name="until", kind="text", about="From when on it is no longer true."),
        Parameter(name="reason", kind="text", is_literal=True, about="Why; kept with the old words.", also=("why",)),
        Parameter(name="dry_run", kind="flag", about="Say what would follow; change nothing (default false)."),
    ),
    example={"id": "t:01jqkiln", "text": "The kiln is in the garage.", "dry_run": True},
    writes=True,
    reaches_out=True,
)

PIN = Tool(
    name="pin",
    dotted="pin",
    title="Pin a row",
    about="Use when a row has to stand at the top of every later recall, in its scope, until a day you may name.",
    parameters=(
        Parameter(name="id", kind="text", required=True, about="The row to pin.", also=_ROW),
        Parameter(
            name="reason", kind="text", required=True, is_literal=True, about="Why it matters, in a few words.",
            also=("why",),
        ),
        Parameter(name="until", kind="text", about="When the pin ends; left out: never.", also=("expires_at",)),
        replace(SCOPE, about="Where it counts: some of the row's own dimensions; left out: where the row belongs."),
    ),
    example={"id": "t:01jqkiln", "reason": "the task at hand", "until": "2027-01-01"},
    writes=True,
    repeatable=True,
)  # fmt: skip

VOUCH_STATUS = Tool(
    name="vouch_status",
    dotted="vouch_status",
    title="See which notes count",
    about="Use when you want to know what became of notes that programs stored with remember: waiting for the person's "
    "approval, approved, approved in part, or declined.",
    parameters=(
        Parameter(name="ids", kind="texts", about="These notes (t:…); left out: the newest.", also=("id", "notes")),
        Parameter(
            name="state",
            kind="text",
            about="Only those in this state.",
            choices=("waiting", "approved", "partly", "declined"),
            also=("status",),
            meant=(("pending", "waiting"), ("rejected", "declined"), ("accepted", "approved")),
        ),
        Parameter(name="from", kind="text", about='Only what this program noted, such as "codex".', also=("agent",)),
        Parameter(name="since", kind="text", about="Only what was noted at that time or later."),
        Parameter(name="limit", kind="integer", about="How many, 1 to 100 (default 10).", also=("count", "n")),
        INCLUDE_PRIVATE,
    ),
    example={"state": "waiting"},
    repeatable=True,
)
