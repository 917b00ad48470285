"""`regc draft`: a profile proposed from the document itself, each proposal read back by the compiler before it is written."""

from regc.draft.propose import Drafted, draft

__all__ = ["Drafted", "draft"]
