"""The requests that read: retrieve, recall, ask and check.

Law: names, order and defaults are the specifications'; what is ours is optional and comes last.

Source: specs inner_voice.retrieve, stateful-design-v2 8, retrieval-contract; rulings A22, A24, C20; DESIGN 6.
"""

from dataclasses import replace

from voice.requests import Option, Parameter, Request

QUERY = ("question", "q", "text", "prompt", "input", "content", "search")  # what models send instead, as below
COUNT = ("k", "n", "topK", "top", "count", "max_results", "num_results")
SCOPE = Parameter(
    name="scope",
    kind="scope",
    about='Only rows of this scope, or "all"; required once anything in the memory has a scope.',
    also=("scope_ids", "scopeIds", "scopes"),
    abouts={
        "mcp": 'Only rows of this repository, user, agent or session, such as "repo=/home/ann/site" or '
        '"repo=/home/ann/site user=ann" (both must match). "all" means everything; "here" the repository this server '
        "was started in and rows without a scope. Required once anything in the memory has a scope.",
        "library": "Only rows of this scope, or `Scope.ALL`; every dimension given must match.",
    },
    cli=Option("--scope --repo --all-scopes"),
)
SURROUNDINGS = Parameter(
    name="surroundings",
    kind="scope",
    about="The scope to read if `scope` is left out; a scoped memory needs one of them.",
    doors=("library",),
)
INCLUDE_PRIVATE = Parameter(
    name="include_private",
    kind="flag",
    about="Include private rows (default false). Only if the person asks for them.",
    also=("includePrivate", "private"),
    cli=Option("--private", "Include private notes."),
)
_INCLUDE_TAGS = Parameter(
    name="include_tags",
    kind="texts",
    about="Only rows with at least one of these tags.",
    also=("tags", "tag", "includeTags", "include_tag"),
    cli=Option("--tag", "Only notes with one of these tags.", "TAG"),
)
_EXCLUDE_TAGS = Parameter(
    name="exclude_tags",
    kind="texts",
    about="No rows with any of these tags.",
    also=("not_tags", "excludeTags", "exclude_tag"),
    cli=Option("--not-tag", "No notes with any of these tags.", "TAG"),
)
_WHEN = Parameter(
    name="when",
    kind="text",
    about='Only this time, such as "last week", "since March 3" or "2024-03-05".',
    also=("time", "date", "time_range", "timeframe"),
    cli=Option("--when", 'Only notes from this time: "last month", "since March 3".', "PHRASE"),
)
_ORDER = Parameter(
    name="order",
    kind="text",
    about="Order by date; default: best first.",
    choices=("created_at_desc", "created_at_asc"),
    also=("sort", "order_by"),
    meant=(("desc", "created_at_desc"), ("newest", "created_at_desc"), ("newest_first", "created_at_desc"),
           ("asc", "created_at_asc"), ("oldest", "created_at_asc"), ("oldest_first", "created_at_asc")),
    cli=Option("--order", "Order by date. Default: best first."),
)  # fmt: skip
_PROVIDER = Parameter(
    name="provider",
    kind="text",
    about="How to search: local-vector, local-hybrid, local-fts, or an installed provider.",
    cli=Option("--provider", "How to search: local-vector, local-hybrid, local-fts, or an installed provider.", "NAME"),
)
_RERANK = Parameter(
    name="rerank",
    kind="flag",
    about="Let the installed re-ranker order the best results: more precise, "
    "about half a second slower (default false).",
    also=("re_rank", "reranker"),
    cli=Option("--rerank", "Let the installed re-ranker order the best results."),
)
_DETAIL = Parameter(
    name="detail",
    kind="text",
    about="brief (default), or full: every member.",
    choices=("brief", "full"),
    also=("details", "verbosity", "explain"),
    meant=(("false", "brief"), ("short", "brief"), ("compact", "brief"), ("true", "full"), ("verbose", "full")),
    doors=("mcp",),
)

RETRIEVE = Request(
    name="retrieve",
    about="What to search for; voice corrects numbers out of range, and says so in the diagnostics.",
    parameters=(
        Parameter(
            name="query", kind="text", required=True, may_be_empty=True,
            about="What to search for, in natural language.", also=QUERY, cli=Option("[QUERY]"),
        ),
        Parameter(
            name="top_k", kind="integer",
            about="How many snippets, 1 to 50 (default 10).", also=COUNT,
            cli=Option("-k --top-k", "Return at most this many snippets (1-50).", least=1),
        ),
        Parameter(
            name="floor", kind="number",
            about="Lowest cosine similarity, 0 to 1 (default from the settings).",
            also=("min_score", "threshold", "min_similarity"),
            cli=Option("--floor", "The lowest cosine similarity to keep."),
        ),
        Parameter(
            name="mix", kind="number",
            about="Share of the knowledge graph: 0 is thoughts only, 1 the graph only (default 0.6).",
            cli=Option("--mix", "Share of the knowledge graph, 0 (thoughts only) to 1 (graph only)."),
        ),
        INCLUDE_PRIVATE,
        _INCLUDE_TAGS,
        _EXCLUDE_TAGS,
        _WHEN,
        Parameter(
            name="limit", kind="integer",
            about="Instead of top_k: how many snippets, 1 to 100.",
            cli=Option("-n --limit", "The same as -k, up to 100.", least=1),
        ),
        _ORDER,
        SCOPE,
        SURROUNDINGS,
        _PROVIDER,
        _RERANK,
        Parameter(
            name="detail", kind="text",
            about="full (default): every snippet with hash and spans; brief: the same ranking at a third of the "
            "tokens; explain: full, with the place and scores of each and what was left out.",
            choices=("brief", "full", "explain"), also=_DETAIL.also,
            meant=(*_DETAIL.meant[:3], ("true", "explain"), ("verbose", "explain")), doors=("mcp",),  # these mean brief
        ),
        Parameter(
            name="as_of", kind="text", is_instant=True,
            about="Search what the memory held at that moment.",
            doors=("http", "library"),  # S0's tool asks of today
            cli=Option("--as-of", "Search what the memory held at that time.", "WHEN"),
        ),
        Parameter(
            name="lexical_only", kind="flag",
            about="Rank by words alone, without the encoder.",
            doors=("http", "library"),  # S0's tool is semantic, and says that the encoder is down (ruling C17)
            cli=Option("--lexical-only", "Rank by words alone, without the encoder."),
        ),
        Parameter(
            name="explain", kind="flag",
            about="Add how each snippet scored and what was left out.",
            doors=("http",),  # detail=explain, and a method of its own
            cli=Option("--explain", "Show how each snippet scored and what was left out."),
        ),
        Parameter(
            name="now", kind="text", is_instant=True, about="The current time; default: now.", doors=("library",)
        ),
    ),
)  # fmt: skip

RECALL = Request(
    name="recall",
    about="What to recall.",
    parameters=(
        Parameter(
            name="query", kind="text", required=True, may_be_empty=True,
            about="What to search for.",
            abouts={"http": "What to recall; an empty query returns pins and the current summary."}, also=QUERY,
            cli=Option("[QUERY]"),
        ),
        Parameter(
            name="token_budget", kind="integer",
            about="The most tokens of the whole result; pins and summary are never cut.",
            abouts={"mcp": "The most tokens of the whole result (default 2000); pins and summary are never cut."},
            also=("tokenBudget", "budget", "max_tokens"),
            cli=Option("--budget", "The most tokens that the whole result may have.", "TOKENS", least=0),
        ),
        Parameter(
            name="max_candidates", kind="integer",
            about="Consider at most this many candidates, 1 to 500 (default 50).", also=("maxCandidates",),
            cli=Option("--max-candidates", "Consider at most this many candidates (1-500; default 50).", least=1),
        ),
        Parameter(
            name="limit", kind="integer",
            about="Return at most this many candidates.", also=(*COUNT, "top_k"),
            cli=Option("-n --limit", "Return at most this many candidates.", least=1),
        ),
        _WHEN,
        _ORDER,
        SCOPE,
        SURROUNDINGS,
        _PROVIDER,
        replace(INCLUDE_PRIVATE, cli=Option("--private --include-private", "Include private notes.")),
        Parameter(
            name="include_redacted", kind="flag",
            about="Show redacted rows, as [redacted] (default false).", also=("includeRedacted",),
            cli=Option("--include-redacted", "Show redacted entries, as [redacted]."),
        ),
        Parameter(
            name="now", kind="text", is_instant=True,
            about="The current time, for expiry and age.",  # the same `now`, the same bytes (promise 8)
            cli=Option("--now", "The current time, for expiry and age.", "TIME"),
        ),
        _RERANK,
        _DETAIL,
    ),
)  # fmt: skip

ASK = Request(
    name="ask",
    about="A question.",
    parameters=(
        Parameter(
            name="question", kind="text", required=True,
            about="The question.", names={"mcp": "query"}, also=QUERY, cli=Option("[QUESTION]"),
        ),
        Parameter(
            name="mode", kind="text",
            about="continue continues the given session, or this connection's own, and fails if there is none; "
            "new_thread starts one. Default: continue, or start one.",
            choices=("continue", "new_thread"),
            meant=(("new", "new_thread"), ("newthread", "new_thread"), ("resume", "continue")), doors=("mcp",),
        ),
        Parameter(
            name="new_topic", kind="text",
            about="Start a new session with this topic.", names={"mcp": "topic"},
            abouts={"mcp": "The topic of a new session."}, also=("new_topic", "thread_topic"),
            cli=Option("--new", "Start a new session on this topic.", "TOPIC"),
        ),
        Parameter(
            name="session", inner="session_id", kind="text",
            about="The session to continue: its id, the start of its id, or its topic.",
            also=("session_id", "sessionId", "conversation", "thread"),
            cli=Option("-s --session", "Continue this session.", "ID"),
        ),
        Parameter(
            name="create", kind="flag", default=True,
            about="Start a session if there is none to continue, instead of failing.",
            doors=("http",),  # mode; -c at the command line
        ),
        Parameter(
            name="stance", kind="text", default="synthesize",
            about="synthesize answers (default), challenge looks for evidence against a claim, question asks back.",
            choices=("synthesize", "challenge", "question"),
            meant=(("synthesise", "synthesize"), ("answer", "synthesize"), ("ask", "question")),
            cli=Option("--stance", "Answer, look for evidence against a claim, or ask you questions."),
        ),
        _WHEN,
        Parameter(
            name="limit", kind="integer", least=1,
            about="Consider at most this many rows, 1 to 100.", also=COUNT,
            cli=Option("--limit", "Consider at most this many sentences.", "N"),
        ),
        replace(
            _ORDER,
            cli=Option("--order", "With --shape nlq: the newest or the oldest sources first."),
            abouts={"http": "Order of the sources in the shape `nlq`."},
        ),
        INCLUDE_PRIVATE,
        _INCLUDE_TAGS,
        _EXCLUDE_TAGS,
        SCOPE,
        SURROUNDINGS,
        Parameter(
            name="as_of", kind="text", is_instant=True,
            about="Answer from what the memory held at that moment, in a new session.",
            cli=Option("--as-of", "Answer from what your memory held then, in a new session.", "WHEN"),
        ),
        Parameter(
            name="shape", kind="text", default="full",
            about="full (default), or nlq: only {answer, sources} with dates.", choices=("full", "nlq"),
            doors=("mcp", "http"),  # the library returns the turn itself
            cli=Option("--shape", "What --json prints: everything, or only {answer, sources}."),
        ),
        _DETAIL,
        Parameter(
            name="explain", kind="flag",
            about="Add how voice read the question, what it found and what the model saw.",
            doors=("http",),  # nothing a model is to read again
            cli=Option("--explain", "Also show how voice read the question, what it found and what the model saw."),
        ),
        Parameter(
            name="idempotency_key", kind="text", is_literal=True,  # "null" may be a key
            about="With the same key, return the stored answer without a model call.",
            also=("idempotencyKey", "request_id"),
            doors=("mcp", "library"),  # over HTTP a header has it
            cli=Option("--idempotency-key", "Return the first answer again if you repeat the call with the same key.",
                       "KEY"),
        ),
    ),
)  # fmt: skip

CHECK = Request(
    name="check",
    about="An answer, and the facts to check it against.",
    parameters=(
        Parameter(
            name="answer", kind="text", required=True,
            about="The text. Markers such as [1] or [id] cite facts; without markers, every fact counts.",
            also=("text", "response", "claim", "output"),
            cli=Option("--answer", "The answer; - is standard input.", "FILE"),
        ),
        Parameter(
            name="facts", kind="facts", required=True,
            about="The facts it may use, each with its text and, if known, id, date and speaker.",
            also=("sources", "contexts", "documents", "evidence", "passages"),
            cli=Option("--facts", "The facts it may use; - is standard input.", "FILE"),
        ),
        Parameter(
            name="question", kind="text", default="", may_be_empty=True,
            about="The question; its words need no proof.", also=("query", "q"),
            cli=Option("--question", "The question; its words need no proof.", "TEXT"),
        ),
    ),
)  # fmt: skip
