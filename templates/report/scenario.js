// The page of one scenario: drawing, numbers with their places, test case, verdict.
R.number = (label, index) =>
  R.el("button", { type: "button", class: "num", "data-q": index, "data-label": label, "aria-label": `${label}: ${R.data.values[index].w}, show where it stands` }, R.data.values[index].w);

R.parameters = (item) => {
  const body = R.el("tbody");
  let group = null;
  const head = (text) => { if (text !== group) body.append(R.el("tr", { class: "group" }, R.el("th", { scope: "rowgroup", colspan: 3 }, (group = text)))); };
  for (const [text, sources] of item.w) {
    head("Words of the test");
    body.append(R.el("tr", {}, R.el("th", { scope: "row", colspan: 2 }, text), R.el("td", {}, R.places(sources, R.where(sources)))));
  }
  for (const [heading, label, name, index] of item.q) {
    const value = R.data.values[index], first = value.s && R.data.sources[value.s[0]];
    head(heading);
    body.append(
      R.el("tr", { "data-field": name },
        R.el("th", { scope: "row" }, label),
        R.el("td", { class: "n" }, R.number(label, index), value.t ? ` ${value.t}` : "", value.ta ? [" ", R.el("span", { class: "chip assumed" }, value.ta)] : ""),
        R.el("td", {}, R.el("span", { class: `chip ${value.b}` }, value.b), " ", first ? first.l : value.a || "")),
    );
  }
  return R.el("table", { class: "params" },
    R.el("thead", {}, R.el("tr", {}, ["Number", "Value", "Stands at"].map((text, at) => R.el("th", { scope: "col", class: at === 1 && "n" }, text)))), body);
};

/** The test case: headings, lists, quotations, tables and paragraphs of its Markdown; its table of places is left to the parameters. */
R.testCase = (lines) => {
  const out = R.el("div", { class: "testcase", tabindex: 0, role: "region", "aria-label": "Test case" });
  let list = null, rows = null, head = null;
  const end = lines.indexOf("## Sources");
  const text = lines.slice(0, end < 0 ? undefined : end).join("\n").replace(/(\n> [^\n]*)\n> /g, "$1 ").replace(/`/g, "");
  for (const line of text.split("\n")) {
    if (!line || line.startsWith("# ")) { if (line) list = null; continue; }
    const quote = /^\s*> ?(.*)$/.exec(line);
    if (line.startsWith("|")) {
      const cells = line.slice(1, line.endsWith("|") ? -1 : undefined).split("|").map((cell) => cell.trim());
      list = null;
      if (cells.every((cell) => /^:?-+:?$/.test(cell))) continue;
      if (rows) rows.append(R.el("tr", {}, cells.map((cell) => R.el("td", {}, cell))));
      else {
        rows = R.el("tbody");
        const table = R.el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": head ? head.textContent : "Table" }, R.el("table", {}, R.el("thead", {}, R.el("tr", {}, cells.map((cell) => R.el("th", { scope: "col" }, cell)))), rows));
        if (head) { head.remove(); out.append(R.el("details", {}, R.el("summary", {}, R.el("strong", {}, head.textContent)), table)); }
        else out.append(table);
      }
      continue;
    }
    rows = null;
    if (line.startsWith("## ")) { list = null; out.append((head = R.el("h4", {}, line.slice(3)))); continue; }
    const step = /^(\d+)\. (.*)$/.exec(line);
    if (step) {
      if (!list || list.tagName !== "OL") out.append((list = R.el("ol")));
      list.append(R.el("li", { value: step[1] }, step[2]));
    } else if (line.startsWith("- ")) { if (!list || list.tagName !== "UL") out.append((list = R.el("ul"))); list.append(R.el("li", {}, line.slice(2))); }
    else if (quote) (list && list.lastChild && /^\s/.test(line) ? list.lastChild : out).append(R.el("blockquote", {}, quote[1]));
    else { list = null; out.append(R.el("p", {}, line)); }
    head = null;
  }
  return out;
};

R.places = (sources, text) => (sources.length ? R.el("button", { type: "button", class: "link", "data-sources": JSON.stringify(sources), "data-label": text }, text) : text);
R.where = (sources) => sources.map((at) => R.data.sources[at].l).filter((text, at, all) => all.indexOf(text) === at).join("; ");
R.says = (item) => item.say.length > 0 && R.el("details", {}, R.el("summary", {}, `${item.say.length} statements of the document`),
  R.el("ul", { class: "places" }, item.say.map(([kind, text, sources]) => R.el("li", {}, R.el("strong", {}, kind), ": ", text, " ",
    R.el("button", { type: "button", class: "link", "data-sources": JSON.stringify(sources), "data-label": kind }, R.where(sources))))));

/** What the run must show, and where it holds only under conditions. */
R.required = (item) => R.el("div", { class: "box" }, R.el("h3", {}, "Requirements"),
  R.el("ul", { class: "places" }, item.req.map(([text, sources]) => R.el("li", {}, text, " ", sources.length > 0 && R.el("span", { class: "muted" }, R.places(sources, R.where(sources)))))),
  item.if.length > 0 && R.el("p", {}, R.el("strong", {}, "Only where "), item.if.join(" and ")),
  item.only.length > 0 && R.el("p", {}, R.el("strong", {}, "Only for "), item.only.map(([text, sources], at) => [at ? ", " : "", R.places(sources, text)])),
  item.as.length > 0 && [R.el("h4", {}, "Not in the document"), R.el("ul", { class: "places" }, item.as.map(([field, text, code]) => R.el("li", {}, R.el("span", { class: "chip assumed" }, code), ` ${field} ${text}`)))]);

R.verdict = (item) => {
  const verdict = R.data.verdicts[item.i], runs = R.data.runs[item.i] || [];
  if (!verdict && !runs.length) return null;
  return R.el("div", { class: "box" }, R.el("h3", {}, "Verdict"),
    verdict && verdict.all.map((one) => R.el("p", {}, R.el("span", { class: `chip v-${one.verdict}` }, one.verdict), ` ${[one.vehicle_type, one.reason].filter(Boolean).join(": ")} `, R.el("span", { class: "muted" }, one.clause))),
    runs.map((run) => R.el("details", {}, R.el("summary", {}, `${run.baseline ? "Baseline" : "Run"} ${run.run} (${[run.vehicle_type, run.engine].filter(Boolean).join(", ") || "log"}): `, R.el("span", { class: `chip v-${run.verdict}` }, run.verdict), ` ${run.reason || ""}`),
      R.el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Checks of run ${run.run}` }, R.el("table", {},
        R.el("thead", {}, R.el("tr", {}, ["Check", "Result", "Measured", "Required", "Place"].map((text) => R.el("th", { scope: "col" }, text)))),
        R.el("tbody", {}, (run.checks || []).map((check) => R.el("tr", {}, R.el("th", { scope: "row" }, check.name), R.el("td", {}, check.result.replace("_", " ")), R.el("td", {}, check.measured), R.el("td", {}, check.required), R.el("td", {}, check.clause)))))))));
};

R.showScenario = (item) => {
  R.byId("h-scenario").textContent = item.i;
  const listed = R.listed(), at = listed.indexOf(item.i);
  const step = (offset, text) => {
    const id = at >= 0 && listed[at + offset];
    return id && R.el("a", { class: "quiet", href: `#scenario/${id}` }, text);
  };
  const clause = R.data.clauses[item.c];
  R.byId("scenario-body").replaceChildren(
    R.el("p", { class: "lead" }, item.h),
    R.el("div", { class: "meta" }, item.ax.map(([name, text, sources]) => R.el("span", {}, `${name}: `, R.places(sources, text))), R.el("span", { class: "chip" }, item.st),
      clause && R.el("span", {}, "paragraph ", R.el("button", { type: "button", class: "link", "data-clause": clause.i }, clause.i)),
      item.act.map(([role, kind, sources]) => R.el("span", {}, `${role}: `, R.places(sources, kind)))),
    R.el("nav", { class: "pager", "aria-label": "Scenario" }, R.el("a", { class: "quiet", href: "#scenarios" }, "All scenarios"), step(-1, "Previous"), step(1, "Next")),
    R.el("div", { class: "columns2" },
      R.el("div", {}, R.el("div", { class: "box" }, R.el("h3", {}, "Top view"), R.el("p", { class: "muted" }, item.mv), R.views2d(item)),
        R.verdict(item) || "", R.required(item),
        R.el("div", { class: "box" }, R.el("h3", {}, "Test case"), item.txt ? R.testCase(item.txt.map((line) => R.data.lines[line])) : R.el("p", { class: "muted" }, "No text was built."), R.says(item))),
      R.el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Parameters" }, R.parameters(item))),
  );
};
