"""`regc eval`: scores generated test texts, or compares scenarios field by field, against a hand-written truth."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from regc.cli.console import console
from regc.cli.results import vocabulary as vocabulary_of
from regc.errors import DataFileError, RegcError
from regc.lang import Profile
from regc.model.result import Finding
from regc.research.penalized_f1 import DeltaKind, Evaluation, Matching, ScoreSettings, by_kind, evaluate_exact
from regc.research.penalized_f1 import evaluate as score
from regc.research.scored_texts import Nearness, TextTable, between, family_of, nearness, read_texts, with_families
from regc.resources import resource

#: Misses that the terminal shows; --json has them all.
_SHOWN = 20


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("eval")(evaluate)


def evaluate(
    truth: Annotated[
        list[Path] | None,
        typer.Option(help="CSV of hand-written texts: Unique_ID,Test_title,test_scenario; repeated for wordings of several authors"),
    ] = None,
    generated: Annotated[Path | None, typer.Option(help="CSV of generated texts; with --runs N its name holds {run}")] = None,
    match: Annotated[Matching, typer.Option(help="one-to-one assignment, or each truth row's best as in the paper")] = "one-to-one",
    delta: Annotated[
        DeltaKind, typer.Option(help="count discrepancies, or 1 - F1 of numbers plus Jaccard distance of terms")
    ] = "count",
    profile: Annotated[str | None, typer.Option(help="regulation (id or folder) whose terms and families count")] = None,
    vocabulary: Annotated[list[str] | None, typer.Option(help="terms instead of the profile's, comma-separated or repeated")] = None,
    embedder: Annotated[
        str, typer.Option(help="minilm, sentence-transformers:NAME, openai:MODEL ...; not for a score: hash")
    ] = "minilm",
    cache: Annotated[bool, typer.Option(help="keep vectors on disk")] = True,
    runs: Annotated[list[str] | None, typer.Option(help="several generated files of repeated runs, or their number N")] = None,
    more_runs: Annotated[list[Path] | None, typer.Argument(metavar="RUN.csv", help="further files of --runs")] = None,
    fields: Annotated[Path | None, typer.Option(help="CSV of field values, compared exactly with --scenarios")] = None,
    scenarios: Annotated[Path | None, typer.Option(help="scenarios.json of a build")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False,
) -> None:
    """Score generated scenarios against the truth: penalized F1, Meta-Score, and why each miss is one."""
    if fields or scenarios:
        if not (fields and scenarios):
            raise RegcError("--fields and --scenarios belong together", hint="regc eval --fields fields.csv --scenarios scenarios.json")
        _compare(fields, scenarios, as_json=as_json)
    if not truth:
        if fields:
            return
        raise RegcError("nothing to score", hint="regc eval --truth T.csv --generated G.csv")
    files = _generated_files(generated, runs or [], more_runs or [])
    if runs and len(truth) > 1:
        raise RegcError("--runs is scored against one truth", hint="give one --truth, or one --generated file")
    truths = [read_texts(file, truth=True) for file in truth]
    loaded, tokens = _profile(profile, [row.id for table in truths for row in table.rows], required=not vocabulary)
    terms = tuple(term.strip() for part in vocabulary for term in part.split(",") if term.strip()) if vocabulary else ()
    terms = terms or (_terms(loaded) if loaded else ())
    settings = ScoreSettings(match=match, delta=delta, vocabulary=terms, load_terms=_load_terms(terms, loaded))
    tables = [with_families(read_texts(file), tokens) for file in files]
    truths = [with_families(table, tokens) for table in truths]
    if len(truths) > 1:
        _score_wordings(truth, truths, tables[0], settings, embedder, cache=cache, as_json=as_json)
    else:
        _score(truths[0], tables, settings, embedder, cache=cache, repeated=bool(runs), as_json=as_json)


def _score(
    truth: TextTable, tables: Sequence[TextTable], settings: ScoreSettings, embedder: str, *, cache: bool, repeated: bool, as_json: bool
) -> None:
    from regc.embed import open_embedder
    from regc.research.penalized_f1 import summarise
    from regc.research.scored_texts import embed_texts

    model = open_embedder(embedder, cache=cache)
    wanted = embed_texts(truth.rows, model, settings.vocabulary)
    results = []
    for table in tables:
        texts = embed_texts(table.rows, model, settings.vocabulary)
        results.append((score(wanted, texts, settings), evaluate_exact(wanted, texts, settings)))
    _tell([*truth.findings, *(finding for table in tables for finding in table.findings), *getattr(model, "findings", ())])
    payloads = [_payload(scored) | {"exact": _payload(exact)} for scored, exact in results]
    if not repeated:
        if as_json:
            _print_json(payloads[0])
        else:
            _show(payloads[0], settings)
            _show_nearness(nearness(wanted, texts))
        return
    ids = [row.id for row in truth.rows]
    summary = summarise([scored for scored, _ in results], ids).model_dump(mode="json")
    exact_summary = summarise([exact for _, exact in results], ids).model_dump(mode="json")
    if as_json:
        named: list[dict[str, Any]] = [{"generated": table.name} | payload for table, payload in zip(tables, payloads, strict=True)]
        _print_json({"runs": named, "spread": summary | {"exact": exact_summary}})
    else:
        _show_runs(tables, payloads, summary)


def _score_wordings(
    files: Sequence[Path],
    truths: Sequence[TextTable],
    generated: TextTable,
    settings: ScoreSettings,
    embedder: str,
    *,
    cache: bool,
    as_json: bool,
) -> None:
    """One build against several sets that say the same facts in other words."""
    from regc.embed import open_embedder
    from regc.research.scored_texts import embed_texts

    model = open_embedder(embedder, cache=cache)
    texts = embed_texts(generated.rows, model, settings.vocabulary)
    sets = [embed_texts(truth.rows, model, settings.vocabulary) for truth in truths]
    _tell([*(finding for table in (*truths, generated) for finding in table.findings), *getattr(model, "findings", ())])
    short = [truth.name for truth in truths]
    names = short if len(set(short)) == len(short) else [file.as_posix() for file in files]
    near, apart = [nearness(wanted, texts) for wanted in sets], between(names, sets)
    payloads = [
        _payload(score(wanted, texts, settings)) | {"exact": _payload(evaluate_exact(wanted, texts, settings))} for wanted in sets
    ]
    if as_json:
        rows = [
            {"truth": name, "lowest_cosine": item.model_dump() if item else None} | payload
            for name, item, payload in zip(names, near, payloads, strict=True)
        ]
        _print_json({"truths": rows, "lowest_between": apart.model_dump(mode="json") if apart else None})
        return
    out = console()
    table = Table("truth", "scenarios", "F1", "exact F1", "Meta-Score", "lowest cosine")
    for name, truth, item, payload in zip(names, truths, near, payloads, strict=True):
        shares = [f"{100 * score_of['overall']['f1']:.2f}" for score_of in (payload, payload["exact"])]
        lowest = f"{item.cosine:.4f}" if item else "-"
        table.add_row(escape(name), str(len(truth.rows)), *shares, f"{payload['meta_score']:.2f}", lowest)
    out.print(table)
    if apart is not None:
        out.print(escape(f"lowest cosine between the sets {apart.cosine:.4f} ({' and '.join(apart.sets)}, {apart.id})"), soft_wrap=True)
    for name, payload in zip(names, payloads, strict=True):
        for miss in payload["misses"][:_SHOWN]:
            out.print(f"{escape(name)}:{_miss_line(miss)}", soft_wrap=True)


def _show_nearness(near: Nearness | None) -> None:
    if near is not None:
        console().print(escape(f"lowest cosine of a truth text and the generated one {near.cosine:.4f} ({near.id})"), soft_wrap=True)


def _payload(evaluation: Evaluation) -> dict[str, Any]:
    return evaluation.model_dump(mode="json", exclude={"matched"})


def _compare(fields: Path, scenarios: Path, *, as_json: bool) -> None:
    from regc.truth import compare_fields, read_suite, read_truth

    result = compare_fields(read_truth(fields), read_suite(scenarios).scenarios)
    if as_json:
        _print_json(result.model_dump(mode="json"))
    else:
        out = console()
        out.print(f"{result.equal} of {result.compared} fields equal in {result.scenarios} scenarios")
        for difference in result.differences:
            stated, built = difference.truth or "not stated", difference.built or "not stated"
            out.print(f"  {difference.scenario} {difference.field}: truth {escape(stated)}, built {escape(built)}")
        for id in result.missing:
            out.print(f"  {id}: not built")
        for id in result.extra:
            out.print(f"  {id}: not in the truth")
    if not result.clean:
        raise typer.Exit(1)


def _generated_files(generated: Path | None, runs: Sequence[str], more: Sequence[Path]) -> tuple[Path, ...]:
    if not runs:
        if generated is None or more:
            raise RegcError("give one --generated file", hint="several files: regc eval --truth T.csv --runs G1.csv G2.csv")
        return (generated,)
    if len(runs) == 1 and runs[0].isdecimal() and not more:
        if generated is None or "{run}" not in str(generated):
            raise RegcError("--runs N needs --generated with {run} in it", hint="--generated out/run-{run}/texts.csv --runs 5")
        if int(runs[0]) < 1:
            raise RegcError("--runs 0: there is nothing to score", hint="give the number of runs")
        return tuple(Path(str(generated).replace("{run}", str(number))) for number in range(1, int(runs[0]) + 1))
    return (*((generated,) if generated else ()), *(Path(run) for run in runs), *more)


def _profile(name: str | None, ids: Sequence[str], *, required: bool) -> tuple[Profile | None, tuple[str, ...]]:
    """The named profile, or the only one whose test tokens stand in the ids; and its tokens."""
    from regc.pipeline.profiles import load_profile, regulation_names

    if name:
        profiles = [load_profile(name)]
    else:
        known = [load_profile(regulation) for regulation in regulation_names()]
        profiles = [item for item in known if any(family_of(id, [token]) == token for id in ids for token in _tokens(item))]
    if len(profiles) != 1:
        if required:
            raise DataFileError("the ids do not tell whose terms count", hint="give --profile REG, or --vocabulary with the terms")
        return None, ()
    return profiles[0], _tokens(profiles[0])


def _tokens(profile: Profile) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(test.token or test.name) for test in profile.tests))


def _terms(profile: Profile) -> tuple[str, ...]:
    """The terms that the metric looks for in the texts of an edition."""
    return vocabulary_of(resource("golden", str(profile.id), str(profile.edition), "truth"))


def _load_terms(vocabulary: Sequence[str], profile: Profile | None) -> tuple[str, ...]:
    """Terms of the vocabulary that name an axis value that sets the vehicle's mass, in any edition: their misses are told apart."""
    from regc.pipeline.profiles import edition_files, load_profile, regulation_folders

    if profile is None:
        return ()
    folder = regulation_folders().get(str(profile.id))
    editions = [load_profile(str(profile.id), edition) for edition in edition_files(folder)] if folder else [profile]
    values = [item for edition in editions for axis in edition.axis.values() for item in axis.values.items() if "mass" in item[1].set]
    named = {str(text).casefold() for name, value in values for text in (name, *value.words, value.token or "")}
    return tuple(term for term in vocabulary if term.casefold() in named)


def _print_json(value: object) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, sort_keys=True))


def _tell(findings: Sequence[Finding]) -> None:
    console = Console(stderr=True, soft_wrap=True, highlight=False)
    for finding in findings:
        console.print(f"{finding.severity} {finding.code}: {escape(finding.message)}")


def _show(result: dict[str, Any], settings: ScoreSettings) -> None:
    out = console()
    table = Table(
        "family", "precision", "recall", "F1", "TP", "FP", "FN", "exact F1", title=f"penalized F1 ({settings.match}, {settings.delta})"
    )
    for name in (*result["families"], "overall"):
        score = result["overall"] if name == "overall" else result["families"][name]
        exact = result["exact"]["overall"] if name == "overall" else result["exact"]["families"][name]
        shares = [f"{100 * score[key]:.2f}" for key in ("precision", "recall", "f1")]
        table.add_row(escape(name), *shares, *(str(score[key]) for key in ("tp", "fp", "fn")), f"{100 * exact['f1']:.2f}")
    out.print(table)
    out.print(f"Meta-Score {result['meta_score']:.2f}, exact {result['exact']['meta_score']:.2f}")
    # The exact misses hold the tolerant ones and those that the tolerance of numbers hides.
    misses = result["exact"]["misses"]
    for kind, count in by_kind(miss["kind"] for miss in misses).items():
        out.print(f"{count} x {kind}")
    for miss in misses[:_SHOWN]:
        out.print(_miss_line(miss), soft_wrap=True)
    if len(misses) > _SHOWN:
        out.print(f"... and {len(misses) - _SHOWN} more: --json lists all")


def _miss_line(miss: dict[str, Any]) -> str:
    if miss["nearest"] is None:
        return f"  {escape(miss['id'])}: {miss['kind']}"
    parts = [
        f"{what} only in the {side} {', '.join(str(item) for item in miss[what][key])}"
        for what in ("numbers", "terms")
        for key, side in (("missing", "truth"), ("extra", "generated"))
        if miss[what][key]
    ]
    near = f"nearest {miss['nearest']}, cosine {miss['cosine']:.4f}, score {miss['score']:.4f}"
    return escape(f"  {miss['id']}: {miss['kind']}; {near}" + (f"; {'; '.join(parts)}" if parts else ""))


def _show_runs(tables: Sequence[TextTable], payloads: Sequence[dict[str, Any]], summary: dict[str, Any]) -> None:
    out = console()
    table = Table("run", "precision", "recall", "F1", "exact F1", "Meta-Score")
    for run, payload in zip(tables, payloads, strict=True):
        overall = payload["overall"]
        shares = [f"{100 * overall[key]:.2f}" for key in ("precision", "recall", "f1")]
        table.add_row(escape(run.name), *shares, f"{100 * payload['exact']['overall']['f1']:.2f}", f"{payload['meta_score']:.2f}")
    out.print(table)
    for name, factor in (("precision", 100), ("recall", 100), ("f1", 100), ("meta_score", 1)):
        shown = {key: factor * value for key, value in summary[name].items()}
        out.print(f"{name}: mean {shown['mean']:.2f}, stdev {shown['stdev']:.2f}, {shown['min']:.2f} to {shown['max']:.2f}")
    for id, hits in list(summary["unsteady"].items())[:_SHOWN]:
        out.print(f"  {escape(id)}: found in {hits} of {summary['runs']} runs", soft_wrap=True)
