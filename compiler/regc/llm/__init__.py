"""Language models behind one method, `complete`; replies on file. Nothing heavy is imported before a model is opened."""

from __future__ import annotations

from regc.llm._open import configured, open_llm, replies_folder
from regc.llm._settings import Limits, Settings

__all__ = ["Limits", "Settings", "configured", "open_llm", "replies_folder"]
