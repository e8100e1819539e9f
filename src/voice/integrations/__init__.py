"""A memory in programs of other frameworks, one module and one extra for each.

Law: a framework is imported by its own module and by nothing else; no module here is imported by the rest of the
program. What a framework stores is a program's record, not a note (`voice.core.session.agent_records`); what a model
says through a tool is a model's claim, never the person's words (docs/howto/frameworks.md).
"""
