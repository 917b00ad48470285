"""The second reader: every number of an emitted folder, against the document and by calculation.

It shares no code with the reading that made the folder (regc.lang, the writers, the wording): from a document as read and the files
alone it reads each cited number again at its place, calculates each derived and staged one again from its formula, and holds all other
bytes by the manifest's hashes. The folder may be somebody else's.
"""

from __future__ import annotations

from pathlib import Path

from regc.model.document import Document
from regc.verify import reports, sidecars, suite, texts
from regc.verify.folder import SCENARIOS, Folder
from regc.verify.result import Difference, Verified

__all__ = ["Difference", "Verified", "verify"]


def verify(path: Path, document: Document) -> Verified:
    """Everything in a build folder that is not as the document, a formula or the manifest says."""
    folder = Folder(path, document)
    known = suite.check(folder)
    lines = sidecars.check(folder, known)
    texts.check(folder, known, lines)
    reports.check(folder, known)
    reports.check_testruns(folder, known, lines)
    if not folder.read:
        folder.differ("V571", SCENARIOS, held="no number of the document was found to read again")
    folder.hashes()
    return folder.result()
