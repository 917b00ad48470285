"""The report that an engineer signs: a module a format, with `Options` and `emit`."""

#: What the formats share, and what is no format of `regc report`.
HELPERS = (
    "diff",
    "drawing",
    "front",
    "golden_builds",
    "outcomes",
    "overview",
    "page_templates",
    "page_data",
    "record",
    "xhtml",
)
