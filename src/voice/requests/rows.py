"""The requests that write, remember and correct, and those of review: moderate and the list of candidates.

Law: whose words they are is the entrance's to say, and no parameter (ruling H).

Source: DESIGN 8; spec rag-organize 6; rulings A21, F, H, J1.
"""

from dataclasses import replace

from voice.requests import Option, Parameter, Request
from voice.requests.questions import INCLUDE_PRIVATE, SCOPE

IDS = ("id", "candidate", "candidates", "candidate_id", "candidate_ids", "thought", "thoughts", "items")
ROW = ("row", "row_id", "source_id", "target", "thought", "memory_id")  # what models send for a row
DRY_RUN = Parameter(
    name="dry_run",
    kind="flag",
    about="Show what would change, and change nothing (default false).",
    cli=Option("--dry-run", "Show what would change, and change nothing."),
)

REMEMBER = Request(
    name="remember",
    about="A thought. Because it comes over HTTP, its origin is `tool`: answers cite it only after a review.",
    writes=True,
    parameters=(
        Parameter(
            name="content", kind="text", required=True,
            about="The thought, in complete sentences that make sense on their own.",
            also=("text", "thought", "note", "memory", "message", "input"), cli=Option("[TEXT]"),
        ),
        Parameter(
            name="tags", kind="texts",
            about="Its tags.", also=("tag", "labels"), cli=Option("--tag", "A tag; repeat for several.", "TAG"),
        ),
        Parameter(
            name="at", inner="created_at", kind="text", is_instant=True,
            about="When it happened: 2026-03-05, 2026-03-05T14:00Z, or words such as \"last Friday\" (default now).",
            abouts={"http": "When it happened; default: now."},
            also=("created_at", "createdAt", "date", "when", "timestamp"),
            cli=Option(
                "--at", 'When it happened: 2026-03-05, 2026-03-05T14:00 or "last Friday". Default: now.', "WHEN"
            ),
        ),
        Parameter(
            name="is_private", kind="flag",
            about="Leave it out unless private rows are included (default false).", names={"mcp": "private"},
            also=("is_private", "isPrivate"),
            cli=Option("--private", "Keep it private: it stays out unless you ask for private notes."),
        ),
        Parameter(
            name="kind", kind="text", default="note",
            about="One word for what it is: note (default), tool_call, file_diff, …", also=("type",),
            cli=Option("--kind", "What it is, in one word: note, tool_call, file_diff, …"),
        ),
        Parameter(
            name="speaker", kind="text", about="Who says it.", also=("author",),
            cli=Option("--speaker", "Who says it.", "NAME"),
        ),
        Parameter(
            name="thread", kind="text", about="The conversation or notebook it belongs to.",
            cli=Option("--thread", "The conversation or notebook it belongs to.", "NAME"),
        ),
        replace(
            SCOPE,
            about="Where it belongs: at most one session, repository, agent and user each.",
            abouts={"mcp": 'Where it belongs, such as "repo=/home/ann/site": one repository, user, agent and session.'},
            cli=Option("--scope --repo"),
        ),
        Parameter(
            name="capsule", kind="text",
            about="The open capsule it belongs to; sets its scope and thread.", also=("capsule_id",),
            cli=Option("--capsule", "The open capsule it belongs to; sets its scope and thread.", "ID"),
        ),
        Parameter(
            name="logged", kind="flag",
            about="Whether the program logs this itself, instead of passing on a person's words.",
            doors=("library",),  # elsewhere the entrance says whose words they are (ruling H)
        ),
    ),
)  # fmt: skip

CORRECT = Request(
    name="correct",
    about="New words for a row; the old words stay as the past.",
    writes=True,
    parameters=(
        Parameter(
            name="row_id", kind="text", required=True,
            about="The row to correct.",
            abouts={"http": "The id of a thought, an observation, a relation or an entity."},
            names={"mcp": "id", "http": "row"}, also=ROW[:4], cli=Option("ID|WORDS"),
        ),
        Parameter(
            name="text", kind="text", is_literal=True,
            about="What is true instead: the new text of the whole row.",
            abouts={"http": "The new words; for a relation or an entity, its new description."},
            also=("content", "new_text", "replacement"), cli=Option("[TEXT]"),
        ),
        Parameter(
            name="since", kind="text", is_instant=True,
            about="When it became true; default: the old words were never true.",
            cli=Option("--since", "When it became true; until then the old words were true.", "WHEN"),
        ),
        Parameter(
            name="until", kind="text", is_instant=True,
            about="When it stops being true.", cli=Option("--until", "When it stops being true.", "WHEN"),
        ),
        Parameter(
            name="reason", kind="text", is_literal=True,
            about="The reason, stored with the old words.", also=("why",),
            cli=Option("--reason", "The reason, stored with the old words.", "WORDS"),
        ),
        Parameter(
            name="target", kind="text",
            about="The new target of a relation.",
            doors=("http", "library"),  # a program corrects what programs noted, and relations are inferred
            cli=Option("--to", "New target of a relation: an entity's id, name or alias.", "NAME"),
        ),
        DRY_RUN,
        replace(SCOPE, about="Only a row of this scope; default: wherever it is.", abouts={}, doors=("mcp",), cli=None),
    ),
)  # fmt: skip

MODERATE = Request(
    name="moderate",
    about="Decisions on candidates and conflicts; over HTTP a list of verdicts.",
    doors=("mcp",),
    writes=True,
    parameters=(
        Parameter(
            name="action", kind="text",
            about="list (default), approve, reject, reopen (a rejected candidate), edit, or alias (another name of "
            "`entity`); conflicts (list them), correct (`target` is right), end (`target` has ended), or both_hold.",
            choices=("list", "approve", "reject", "reopen", "edit", "alias", "conflicts", "correct", "end",
                     "both_hold"),
            also=("decision", "command", "op", "operation", "subcommand"),
            meant=(("review", "list"), ("accept", "approve"), ("promote", "approve"), ("deny", "reject"),
                   ("merge", "alias"), ("update", "edit")),
        ),
        Parameter(
            name="ids", kind="texts",
            about="The candidates (c:…) to decide on; the conflict (d:…) to resolve.", also=IDS,
        ),
        Parameter(
            name="with_ends", kind="flag", about="approve: also approve waiting entities that a relation needs."
        ),
        Parameter(
            name="reason", kind="text", is_literal=True,
            about="reject: the reason, stored with them.", also=("feedback", "why"),
        ),
        Parameter(
            name="entity", kind="text", is_literal=True,
            about="alias: the entity that they name; its id, name or another name.",
            also=("of", "canonical_id", "canonical"),
        ),
        Parameter(name="name", kind="text", is_literal=True, about="edit: an entity's name."),
        Parameter(name="type", kind="text", about="edit: the type. list: only this type, such as person, works_at."),
        Parameter(name="aliases", kind="texts", about="edit: all other names of an entity."),
        Parameter(name="source", kind="text", is_literal=True, about="edit: a relation's source, by name or id."),
        Parameter(
            name="target", kind="text", is_literal=True,
            about="edit: a relation's target, by name or id. correct, end: one side of the conflict (o:…, r:…).",
        ),
        Parameter(name="description", kind="text", is_literal=True, about="edit: one sentence about it."),
        Parameter(name="dry_run", kind="flag", about="Show the outcome, and change nothing (default false)."),
    ),
)  # fmt: skip

CANDIDATES = Request(
    name="candidates",
    about="Candidates: by weight while they wait, then in the order they were found.",
    doors=("mcp", "http"),
    parameters=(
        Parameter(
            name="status", kind="text", default="pending", choices=("pending", "approved", "rejected", "all"),
            about="Which candidates.", abouts={"mcp": "list: which candidates (default pending)."},
            cli=Option("--status", "Which candidates to list."),
        ),
        Parameter(
            name="kind", kind="text", choices=("entity", "relation"),
            about="Only entities, or only relations.", abouts={"mcp": "list: only entities or relations."},
            meant=(("relationship", "relation"), ("edge", "relation"), ("entities", "entity"),
                   ("relations", "relation"), ("relationships", "relation"), ("node", "entity")),
            cli=Option("--kind", "Only entities, or only relations."),
        ),
        Parameter(
            name="type", kind="text", about="Only candidates of this type.",
            cli=Option("--type", "Only of this type: person, works_at, …", "TYPE"),
        ),
        Parameter(
            name="min_confidence", kind="number", least=0, most=1,
            about="Only candidates with at least this confidence.", abouts={"mcp": "list: least confidence, 0 to 1."},
            also=("min_conf",),
            cli=Option("--min-confidence", "Only candidates with at least this confidence, 0 to 1.", "SHARE"),
        ),
        Parameter(
            name="max_confidence", kind="number", least=0, most=1,
            about="Only below this confidence.", abouts={"mcp": "list: below this confidence."}, also=("max_conf",),
            cli=Option("--max-confidence", "Only candidates below this confidence.", "SHARE"),
        ),
        Parameter(
            name="text", kind="text", is_literal=True, also=("query",),
            about="Only candidates whose name contains this.",
            abouts={"mcp": "list: only names that contain this. conflicts: what they are about."},
            cli=Option("--text", "Only candidates whose name contains these words.", "WORDS"),
        ),
        Parameter(
            name="thought", inner="thought_id", kind="text", names={"mcp": "from_thought"},
            about="Only candidates found in this thought.",
            abouts={"mcp": "list: only candidates found in this thought (t:…)."},
            cli=Option("--from", "Only candidates found in this note.", "t:…"),
        ),
        Parameter(
            name="since", kind="text", is_instant=True,
            about="Only candidates found at that time or later.",
            abouts={"mcp": "list, conflicts: only from that time on."},
            cli=Option("--since", "Only candidates found at that time or later.", "WHEN"),
        ),
        Parameter(
            name="limit", kind="integer", least=1, most=200, default=50, also=("count", "n"),
            about="Return at most this many.",
            abouts={"mcp": "list: how many, 1 to 200; default: as many as fit into 800 tokens."},
            cli=Option("--limit", "List at most this many."),
        ),
        Parameter(
            name="detail", kind="text", choices=("brief", "full"), doors=("mcp",),
            about="list: brief (default), or full: dates, confidence, every mention.",
        ),
        Parameter(
            name="after", kind="text", names={"http": "cursor"}, also=("cursor",),
            about="The `next` of the previous page, unchanged.",
            abouts={"mcp": "list: continue after a page (its `next`)."},
            cli=Option("--after", "Continue after this place, which the previous page prints.", "PLACE"),
        ),
        replace(INCLUDE_PRIVATE, cli=Option("--private", "Include private candidates.")),
    ),
)  # fmt: skip
