"""The second reader: every number of an emitted folder, against the document and by calculation.

It shares no code with the reading that made the folder (regc.lang, the writers, the wording): from a document as read and the files
alone it reads each cited number again at its place, calculates each derived and staged one again from its formula, and holds all other
bytes by the manifest's hashes. The folder may be somebody else's.
"""

from __future__ import annotations

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
    # a second process checks the tests and their texts; only what these work out needs the sidecars' lines
    beside = SecondProcess(lambda: _tests_and_texts(folder.apart(), known), worth=len(known) > _FEW)
    texts.check_rows(folder, known)
    lines = sidecars.check(folder, known)
    reports.check(folder, known)
    reports.check_testruns(folder, known, lines)
    noted, figures = beside.result()
    folder.take(noted)
    texts.check_figures(folder, figures, lines)
    if not folder.read:
        folder.differ("V571", SCENARIOS, held="no number of the document was found to read again")
    folder.hashes()
    return folder.result()


def _tests_and_texts(folder: Folder, known: dict[str, scenarios_file.Test]) -> tuple[Noted, list[texts.Figures]]:
    scenarios_file.check(folder, known)
    figures = texts.check(folder, known)
    return folder.noted(), figures
