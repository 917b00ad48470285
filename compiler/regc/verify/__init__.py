"""The second reader: every number of an emitted folder, against the document and by calculation.

It shares no code with the reading that made the folder (regc.lang, the writers, the wording): from a document as read and the files
alone it reads each cited number again at its place, calculates each derived and staged one again from its formula, and holds all other
bytes by the manifest's hashes. The folder may be somebody else's.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from regc.model.document import Document
from regc.second_process import SecondProcess
from regc.verify import reports, scenarios_file, sidecars, texts
from regc.verify.differences import Difference, Verified
from regc.verify.folder import SCENARIOS, Folder, Noted

__all__ = ["Difference", "Verified", "verify"]


#: Tests whose files are checked before a second process could begin.
_FEW = 20


def verify(path: Path, document: Document) -> Verified:
    """Everything in a build folder that is not as the document, a formula or the manifest says."""
    folder = Folder(path, document)
    known = scenarios_file.tests_of(folder)
    # a second process checks tables and sidecars; only the figures of a text need their lines
    beside = SecondProcess(lambda: _tables_and_sidecars(folder.apart(), known), worth=len(known) > _FEW)

    @cache
    def lines() -> sidecars.Sheets:
        noted, sheets = beside.result()
        folder.take(noted)
        return sheets

    scenarios_file.check(folder, known)
    texts.check(folder, known, lines)
    reports.check(folder, known)
    reports.check_testruns(folder, known, lines())
    if not folder.read:
        folder.differ("V571", SCENARIOS, held="no number of the document was found to read again")
    folder.hashes()
    return folder.result()


def _tables_and_sidecars(folder: Folder, known: dict[str, scenarios_file.Test]) -> tuple[Noted, sidecars.Sheets]:
    texts.check_rows(folder, known)
    sheets = sidecars.check(folder, known)
    return folder.noted(), sheets
