"""The contracts of the tools that answer: retrieve, organise, chat, recall and check.

Law: names, parameters and defaults are the specifications'; what is ours is optional and comes last.

Source: specs inner_voice.retrieve, rag-organize 2, stateful-design-v2 8, retrieval-contract; rulings A22, A24, C20;
DESIGN 6 "The judge is a product of its own"; DESIGN 8 MCP.
"""

from voice.entrypoints.mcp.tool_contract import (
    COUNT,
    INCLUDE_PRIVATE,
    NOT_TAGS,
    ORDER,
    QUERY,
    SCOPE,
    TAGS,
    WHEN,
    Parameter,
    Tool,
)

_PROVIDER = Parameter(
    name="provider",
    kind="text",
    about="How candidates are found: local-vector, local-hybrid, local-fts, or one that is installed.",
)
_RERANK = Parameter(
    name="rerank",
    kind="flag",
    about="Let the installed re-ranker read the best together with the query, and order by what it finds: sharper, "
    "about half a second slower (default false).",
    also=("re_rank", "reranker"),
)

_SHORT = (("false", "brief"), ("short", "brief"), ("compact", "brief"))
_DETAILS = ("details", "verbosity")
_RANKING_DETAIL = Parameter(
    name="detail",
    kind="text",
    about="full (default): every snippet with hash and spans; brief: the same ranking at a third of the tokens; "
    "explain: full, with the place and scores of each and what was left out.",
    choices=("brief", "full", "explain"),
    also=(*_DETAILS, "explain"),
    meant=(*_SHORT, ("true", "explain"), ("verbose", "explain")),
)
_DETAIL = Parameter(
    name="detail",
    kind="text",
    about="brief (default), or full: every member there is.",
    choices=("brief", "full"),
    also=(*_DETAILS, "explain"),
    meant=(*_SHORT, ("true", "full"), ("verbose", "full")),
)

RETRIEVE = Tool(
    name="inner_voice_retrieve",
    dotted="inner_voice.retrieve",
    title="Retrieve snippets of the memory",
    about="Use when you want ranked word-for-word snippets of the person's notes and graph, with provenance and "
    "scores, as evidence for your own reasoning.",
    parameters=(
        Parameter(name="query", kind="text", required=True, about="What to look for, in natural language.", also=QUERY),
        Parameter(name="top_k", kind="integer", about="How many snippets, 1 to 50 (default 10).", also=COUNT),
        Parameter(
            name="floor",
            kind="number",
            about="Least cosine similarity, 0 to 1 (default from the settings).",
            also=("min_score", "threshold", "min_similarity"),
        ),
        Parameter(
            name="mix",
            kind="number",
            about="Share of the knowledge graph: 0 is thoughts only, 1 the graph only (default 0.6).",
        ),
        INCLUDE_PRIVATE,
        Parameter(name="include_tags", kind="texts", about="Only rows with at least one of these tags.", also=TAGS),
        Parameter(name="exclude_tags", kind="texts", about="No rows with any of these tags.", also=NOT_TAGS),
        WHEN,
        Parameter(name="limit", kind="integer", about="Instead of top_k: how many snippets, 1 to 100."),
        ORDER,
        SCOPE,
        _PROVIDER,
        _RERANK,
        _RANKING_DETAIL,
    ),
    example={"query": "how the kiln was wired", "top_k": 5},
    repeatable=True,
    reaches_out=True,
    is_gated=True,
)

ORGANISE = Tool(
    name="inner_voice",
    dotted="inner_voice",
    title="Answer from notes and organise them",
    about="Use when notes on a topic are to be summed up and organised: a RAG query with optional knowledge-graph "
    "staging that saves its summary when save=true (the default).",
    parameters=(
        Parameter(
            name="content",
            kind="text",
            required=True,
            about="The question.",
            also=("query", "question", "q", "text", "prompt", "input"),
        ),
        Parameter(name="top_k", kind="integer", about="How many notes at most, 1 to 50 (default 5).", also=COUNT),
        Parameter(
            name="sim_thresh",
            kind="number",
            about="Least cosine similarity of a note, 0 to 1 (default 0.5).",
            also=("threshold", "similarity", "min_score"),
        ),
        Parameter(
            name="stage_kg", kind="flag", about="Stage what the notes name for review (default false).", also=("stage",)
        ),
        Parameter(
            name="confidence_min",
            kind="number",
            about="Stage only what is at least this sure, beside its own bar.",
            also=("min_confidence",),
        ),
        Parameter(name="max_nodes", kind="integer", about="Stage at most so many entities (default 30)."),
        Parameter(name="max_edges", kind="integer", about="Stage at most so many relations (default 60)."),
        Parameter(
            name="save", kind="flag", about="Keep the answer as a thought, which is never a source (default true)."
        ),
        Parameter(
            name="auto_mark_removal",
            kind="flag",
            about="Mark the notes for removal after staging (default from the settings).",
        ),
        SCOPE,
        INCLUDE_PRIVATE,
        Parameter(name="dry_run", kind="flag", about="Answer and count; change nothing (default false)."),
    ),
    example={"content": "who works where", "stage_kg": True, "dry_run": True},
    writes=True,
    reaches_out=True,
    is_gated=True,
)

CHAT = Tool(
    name="inner_voice_chat",
    dotted="inner_voice.chat",
    title="Ask the inner voice",
    about="Use when a question about the person or their notes needs an answer: each sentence is proven from the "
    "memory with its quotes, or the question is refused, which is an answer to report and not a gap to fill.",
    parameters=(
        Parameter(name="query", kind="text", required=True, about="The question.", also=QUERY),
        Parameter(
            name="mode",
            kind="text",
            about="continue goes on in the named conversation, or in your own of this connection, and fails where "
            "there is none; new_thread starts one. Left out: goes on, or starts one.",
            choices=("continue", "new_thread"),
            meant=(("new", "new_thread"), ("newthread", "new_thread"), ("resume", "continue")),
        ),
        Parameter(name="topic", kind="text", about="What a new thread is about.", also=("new_topic", "thread_topic")),
        Parameter(
            name="session",
            kind="text",
            about="The conversation to go on in: its id, the start of one, or its topic.",
            also=("session_id", "sessionId", "conversation", "thread"),
        ),
        Parameter(
            name="stance",
            kind="text",
            about="synthesize answers (default), challenge looks for what speaks against, question asks back.",
            choices=("synthesize", "challenge", "question"),
            meant=(("synthesise", "synthesize"), ("answer", "synthesize"), ("ask", "question")),
        ),
        WHEN,
        Parameter(name="limit", kind="integer", about="Consider at most so many rows, 1 to 100.", also=COUNT),
        ORDER,
        INCLUDE_PRIVATE,
        Parameter(name="include_tags", kind="texts", about="Only rows with at least one of these tags.", also=TAGS),
        Parameter(name="exclude_tags", kind="texts", about="No rows with any of these tags.", also=NOT_TAGS),
        SCOPE,
        Parameter(
            name="as_of", kind="text", about="Answer from what the memory knew at that moment, in a thread of its own."
        ),
        Parameter(name="shape", kind="text", about="nlq for {answer, sources} with dates.", choices=("full", "nlq")),
        _DETAIL,
        Parameter(
            name="idempotency_key",
            kind="text",
            is_literal=True,
            about="Asked again under the same key, the first answer is given again and nobody is asked.",
            also=("idempotencyKey", "request_id"),
        ),
    ),
    example={"query": "Where did I leave the kiln?"},
    writes=True,
    reaches_out=True,
    is_gated=True,
)

RECALL = Tool(
    name="recall",
    dotted="recall",
    title="Recall what matters",
    about="Use at the start of a task to load what the person pinned, the summary of the open piece of work and the "
    "notes nearest to it, all within a token budget.",
    parameters=(
        Parameter(name="query", kind="text", required=True, about="What to look for.", also=QUERY),
        Parameter(
            name="token_budget",
            kind="integer",
            about="What the whole result may take, as you get it (default 2000); pins and summary are never cut.",
            also=("tokenBudget", "budget", "max_tokens"),
        ),
        Parameter(
            name="max_candidates",
            kind="integer",
            about="How many candidates are weighed, 1 to 500 (default 50).",
            also=("maxCandidates",),
        ),
        Parameter(
            name="limit", kind="integer", about="How many candidates are returned at most.", also=(*COUNT, "top_k")
        ),
        WHEN,
        ORDER,
        SCOPE,
        _PROVIDER,
        INCLUDE_PRIVATE,
        Parameter(
            name="include_redacted",
            kind="flag",
            about="Show redacted rows, as [redacted] (default false).",
            also=("includeRedacted",),
        ),
        Parameter(name="now", kind="text", about="The instant that pins expire against and age is measured from."),
        _RERANK,
        _DETAIL,
    ),
    example={"query": "the authentication bug", "token_budget": 2000},
    repeatable=True,
    reaches_out=True,
    is_gated=True,
)


CHECK = Tool(
    name="check",
    dotted="check",
    title="Check an answer against facts",
    about="Use before you show a text of your own, to hold it sentence by sentence against facts that you give; "
    "neither the memory nor a model is asked.",
    parameters=(
        Parameter(
            name="answer",
            kind="text",
            required=True,
            about="The text. It cites facts by markers such as [1] or [id]; without any, each fact counts.",
            also=("text", "response", "claim", "output"),
        ),
        Parameter(
            name="facts",
            kind="facts",
            required=True,
            about="What it may rest on, each with its text and, where they are known, id, date and speaker.",
            also=("sources", "contexts", "documents", "evidence", "passages"),
        ),
        Parameter(
            name="question",
            kind="text",
            about="What was asked; its words need no proof.",
            also=("query", "q"),
        ),
    ),
    example={"answer": "The kiln is in the shed [1].", "facts": [{"text": "The kiln is in the shed."}]},
    repeatable=True,
)
