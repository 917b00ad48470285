"""The test language: a regulation as a small, cited program (a TOML profile) over a document.

    profile = load_profile("regulations/un131")      # a folder (with `edition`) or a TOML file; ProfileError for what is wrong
    suite = evaluate(profile, document, {"v_design": "90 km/h"})      # model.suite.Suite: scenarios, limit tables, cards, findings
    findings = lint(profile, document)        # what stands in the scope and is neither read, told, waived nor on a card
    value = read(document, "[6.4: TTC]", "time")                      # one place, for `regc cite`

One concept a file: vocabulary (closed lists, data in vocabulary.toml), words (numbers in text), places (addresses), values
(arithmetic), tables, expressions, criteria, profile (the TOML) and load, program (a profile on a document), evaluate, plausible
(checks of tables), lint, coverage, ids, reading (one place on its own).
"""

from regc.lang.citation import read
from regc.lang.evaluate import evaluate
from regc.lang.faults import ProfileError
from regc.lang.lint import lint
from regc.lang.load import load_profile
from regc.lang.profile import Profile

__all__ = ["Profile", "ProfileError", "evaluate", "lint", "load_profile", "read"]
