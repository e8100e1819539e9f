"""A record's body, made small for the disk: canonical JSON under DEFLATE, primed with the words bodies are made of.

Law: what is unpacked is, byte for byte, what was packed. The engine keeps every version of a record it was ever given,
so what a turn writes is what a conversation costs for good. The primer is part of the stored format: it never changes;
better words are a second primer, and the first stays to read what it wrote (the format names its primer by checksum).
A body that is still a text was written before bodies were packed. No body is written that would not be read again.
"""

import zlib
from typing import Final

from voice.core.errors import InvalidParams

PRIMER: Final = (
    b'"line_grounds":[[["o:","source_ids":["o:","exchanges_summarized":,"last_updated":"202,"rolling_summary":{,'
    b'"text":"- [20\\n- [20"thread_topic":"through_index":"token_savings":,"total_cost":{"known":"0",'
    b'"unknown_count":0},"total_tokens":0,"version":1},"max_prompt_tokens":8000,"model_changes":[[0,"answered":,'
    b'"errors":0,"refused":{"answer":"","attempts":[{"draft_hash":"","latency_ms":,"outcome":"draft",'
    b'"purpose":"draft","usage":{"cached_input_tokens":0,"input_tokens":,"output_tokens":}}],"cached_tokens":0,'
    b'"completion_tokens":,"confidence":0.9,"cost_estimate":"0.00","coverage_ratio":1.0,'
    b'"evidence_found":[{"content_hash":"","created_at":"202","relevance":1.0,"source_id":"r:",'
    b'"source_type":"kg_relation","span":"e:"kg_entity","span":"","span_end":,"span_start":0,"trust_tier":"amber"}],'
    b'"is_private":false,"latency_ms":,"memories_referenced":["o:","o:"],"model":"",'
    b'"my_query":"What did I When does Who How many ?","notes":"nothing that can be shown",'
    b'"policy":{"min_coverage":0.6,"min_sources":2,"min_weight_share":0.25,"on_unsupported":"mark",'
    b'"single_source":"off","single_source_of":null,"support_threshold":1.65},"price_source":"offline always",'
    b'"prompt":{"evidence":[["o:","],["e:","],["r:","],["o:"],"now":"20-0T0:00Z","parts":[["system",""],["summary",'
    b'""],["recent",""],["S1",""],["S2","],["S3","],["S4","],["S5","],["S6","],["S7","],["S8","],["S9","],["S10","],'
    b'["S11","],["S12","],["S13","],["S14","],["S15","],["S16","],["S17","],["S18","],["S19","],["S20","],["S21","],'
    b'["S22","],["S23","],["S24","],["question",""]],"prompt_hash":"","prompt_tokens_estimated":3,'
    b'"rendering":[["budget",""],["stance","synthesize"]],"summary_revision":null,"summary_through":null,'
    b'"template":"answer.v2","template_hash":"","timezone":"Europe/","view":{"exclude_tags":[],'
    b'"include_private":false,"scope":{"agent_id":null,"everything":true,"repo_id":null,"session_id":null,'
    b'"user_id":null}},"window_exchange_ids":["x:01k","x:01k"]},"prompt_hash":"","prompt_tokens":0,'
    b'"provider":"extractive","reason":"too_few_sources","reason":null,"refused":true,"refused":false,'
    b'"rejected_citations":[],"self_reported":[],"sentences":[{"end":,"flags":["number","kind":"claim",'
    b'"parts":[{"end":,"reasons":[],"start":,"verdict":"supported"},{"end":,"reasons":[],"start":,'
    b'"verdict":"supported"}],"reasons":[],"receipts":[{"content_hash":"","end":,"row_id":"o:","start":0}],'
    b'"score":0.,"start":0,"text":"","verdict":"supported","weight":1.0},{"end":,"flags":[],"kind":"claim",'
    b'"parts":[],"reasons":[],"receipts":[{"content_hash":"","end":,"row_id":"o:","start":0}],"score":0.0,"start":1,'
    b'"text":"","verdict":"unsupported","weight":0.0}],"sources":[{"content_hash":"","created_at":"202",'
    b'"relevance":1.0,"source_id":"o:","source_type":"kg_observation","span":"","span_end":,"span_start":0,'
    b'"trust_tier":"green"}],"stance":"synthesize","status":"refused","status":"answered","verification":null}'
)
_LEVEL: Final = 6
_MOST: Final = 64 * 2**20
"""No body that is written is longer."""
_READ: Final = 2**30
"""Longer ones were written before there was a bound, and are read; one that says it is longer than this is damage."""


class UnreadableBody(ValueError):
    """What is stored as a body is none any more; who reads it says of which record."""


def pack(text: str) -> bytes:
    """Return a body's text as it is stored.

    Raises:
        InvalidParams: it is longer than any body may be.
    """
    encoded = text.encode()
    if len(encoded) > _MOST:
        raise InvalidParams(f"a record of {len(encoded):,} bytes cannot be stored; at most {_MOST:,} are possible")
    packer = zlib.compressobj(_LEVEL, zdict=PRIMER)
    return packer.compress(encoded) + packer.flush()


def unpack(stored: object) -> str:
    """Return the text of a stored body, packed or from before bodies were.

    Raises:
        UnreadableBody: it is no body any more.
    """
    if isinstance(stored, str):
        return stored
    if not isinstance(stored, bytes):
        raise UnreadableBody("a body is neither packed nor a text")
    packer = zlib.decompressobj(zdict=PRIMER)
    try:
        text = packer.decompress(stored, _READ)
    except zlib.error:
        raise UnreadableBody("a packed body does not open") from None
    if not packer.eof or packer.unused_data:
        raise UnreadableBody("a packed body has lost its end")
    return text.decode()
