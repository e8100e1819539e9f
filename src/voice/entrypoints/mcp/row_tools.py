"""The tools for one row: read it, correct it, pin it, and see whether it counts.

Law: a program corrects what a program noted; a person's own words are theirs to correct (rulings C10, H). Whether a
note counts is its owner's to say, so a program can only see what they said (ruling J2).

Source: rulings J1, J2, F, G, H.
"""

from dataclasses import replace

from voice.entrypoints.mcp.contract import INCLUDE_PRIVATE, SCOPE, Parameter, Tool

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
