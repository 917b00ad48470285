"""The language model extractor: the model says where numbers stand and what they are; every claim is read again before it passes."""

from __future__ import annotations

from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from pathlib import Path
from threading import Event
from typing import Literal

from pydantic import BaseModel, Field

from regc.errors import LLMError
from regc.extract._llm_ask import Asker, Tally
from regc.extract._llm_prompts import Prompts, tokens
from regc.extract._llm_prose import prose_outcome
from regc.extract._llm_template import Outcome, family_outcome, variant_outcome
from regc.model.chunk import Context
from regc.model.protocols import LLM, Extraction, Resolver
from regc.model.regulation import Family, Profile


class Options(BaseModel):
    """How the model is asked."""

    ask: Literal["template", "rows", "prose"] = Field(
        default="template", description="template: point to tables, rows are expanded; rows: the model writes them; prose: free text"
    )
    window: int = Field(default=8000, ge=1000, description="tokens that prompt and reply together may have")
    reply: int = Field(default=1600, ge=16, description="tokens of the window that are kept free for the reply")
    max_reasks: int = Field(default=2, ge=0, le=2, description="re-asks a question, whatever the reason")
    concurrency: int = Field(default=4, ge=1, le=64, description="families that are asked at the same time")
    only: str = Field(default="", description="vehicle categories to ask for, comma-separated; none means all")
    prose: Literal["direct", "role", "steps"] = Field(default="direct", description="which prompt of --ask prose")
    templates: Path | None = Field(default=None, description="folder with your own prompts/")
    # what follows bounds the connection; whoever opens it reads it here
    timeout: float | None = Field(default=None, gt=0, description="seconds for one reply (default: REGC_LLM_TIMEOUT, or 180)")
    token_budget: int | None = Field(default=None, ge=1, description="tokens of the whole run (default: REGC_LLM_BUDGET, or no bound)")
    prices: Path | None = Field(default=None, description="your own price table (TOML, as data/prices.toml)")


def extract(
    contexts: dict[str, Context],
    profile: Profile,
    edition: str,
    resolve: Resolver,
    *,
    llm: LLM | None = None,
    options: BaseModel | None = None,
) -> Extraction:
    """Drafts of every family that has a context, in parallel, each passed through `resolve`. Raises LLMError."""
    outcomes = outcomes_of(contexts, profile, edition, resolve, llm=llm, options=options)
    tally = Tally()
    for outcome in outcomes.values():
        tally.add(outcome.tally)
    resolutions = tuple(resolution for outcome in outcomes.values() for resolution in outcome.resolutions)
    return Extraction(
        resolutions=resolutions,
        findings=tuple(finding for outcome in outcomes.values() for finding in outcome.findings),
        stats=tally.stats(),
    )


def outcomes_of(
    contexts: dict[str, Context],
    profile: Profile,
    edition: str,
    resolve: Resolver,
    *,
    llm: LLM | None,
    options: BaseModel | None = None,
) -> dict[str, Outcome]:
    """What came of each family, in the profile's order. Replies that came in before an interruption stay recorded."""
    if llm is None:
        raise LLMError("the llm extractor needs a language model", hint="--llm PROVIDER:MODEL, or --locked for the recorded replies")
    chosen = options if isinstance(options, Options) else Options()
    prompts = Prompts(chosen.templates)
    families = [family for family in profile.families_of(edition) if family.name in contexts]
    stop = Event()
    pool = ThreadPoolExecutor(max_workers=chosen.concurrency, thread_name_prefix="regc-llm")
    try:
        running: dict[str, Future[Outcome]] = {}
        for family in families:
            context = contexts[family.name].of(profile.id, edition)
            running[family.name] = pool.submit(_family, family, context, profile, edition, resolve, llm, prompts, chosen, stop)
        done, _ = wait(running.values(), return_when=FIRST_EXCEPTION)
        for future in done:
            if (problem := future.exception()) is not None:
                raise problem
        return {name: future.result() for name, future in running.items()}
    finally:
        stop.set()
        pool.shutdown(wait=False, cancel_futures=True)


def _family(
    family: Family,
    context: Context,
    profile: Profile,
    edition: str,
    resolve: Resolver,
    llm: LLM,
    prompts: Prompts,
    options: Options,
    stop: Event,
) -> Outcome:
    # prose has a system prompt of its own: the other one tells the model to answer with a form in JSON
    system = prompts.render("prose_system" if options.ask == "prose" else "system")
    room = options.window - options.reply - tokens(system) - 800

    def asker() -> Asker:
        return Asker(llm, system, options.max_reasks, stop=stop)

    only = tuple(part.strip() for part in options.only.split(",") if part.strip())
    if options.ask == "prose":
        return prose_outcome(family, context, profile, asker(), prompts, room, only, options.prose)
    if family.variants:
        whole = Outcome()
        for variant in family.variants:
            part = variant_outcome(family, variant, context, profile, edition, resolve, asker(), prompts, room)
            whole.resolutions += part.resolutions
            whole.findings += part.findings
            whole.tally.add(part.tally)
        return whole
    rows = options.ask == "rows"
    return family_outcome(family, context, profile, edition, resolve, asker(), prompts, room, only, rows=rows)
