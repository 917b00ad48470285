// The panel that shows where a number stands: the words or the cell, and the page of a PDF.
R.panel = (title, ...content) => {
  const panel = R.byId("panel");
  R.byId("panel-title").textContent = title;
  R.byId("panel-body").replaceChildren(...content.flat(Infinity).filter(Boolean));
  if (!panel.open) panel.showModal();
  R.byId("panel-title").focus();
  panel.scrollTop = 0;
  const found = panel.querySelector(".cell, mark.strong, mark");
  if (found) found.scrollIntoView({ block: "center" });
  for (const page of panel.querySelectorAll(".page")) {
    const box = page.querySelector("i");
    if (box) page.scrollTop = box.offsetTop + box.offsetHeight / 2 - page.clientHeight / 2;
  }
};
R.closePanel = () => R.byId("panel").close();

R.clauseTitle = (clause) => (clause.h ? `${clause.i} ${clause.h}` : clause.i);

/** The text of a clause with [start, end) marked and a part of that, [from, to), marked strongly. */
R.markedText = (text, start, end, from, to) => {
  if (start < 0) return [text];
  if (from === undefined) return [text.slice(0, start), R.el("mark", {}, text.slice(start, end)), text.slice(end)];
  const inner = [text.slice(start, from), R.el("mark", { class: "strong" }, text.slice(from, to)), text.slice(to, end)];
  return [text.slice(0, start), R.el("mark", {}, ...inner), text.slice(end)];
};

R.sourceTable = (number, row, column) => {
  const table = R.data.tables[number];
  const depth = Math.max(...table.k.map((path) => path.length));
  const heads = [];
  for (let level = 0; level < depth; level++) {
    const line = R.el("tr");
    for (let at = 0; at < table.k.length; ) {
      const path = table.k[at];
      if (path.length <= level) { at++; continue; } // its header reaches down from a row above
      const same = (other) => table.k[other] && table.k[other].slice(0, level + 1).join("\n") === path.slice(0, level + 1).join("\n");
      let span = 1;
      while (same(at + span)) span++;
      const lit = column !== undefined && column >= at && column < at + span;
      const down = path.length - 1 === level ? depth - level : 1;
      line.append(R.el("th", { scope: span > 1 ? "colgroup" : "col", colspan: span, rowspan: down, class: lit && "head" }, path[level]));
      at += span;
    }
    heads.push(line);
  }
  const body = table.r.map((cells, at) =>
    R.el(
      "tr",
      {},
      cells.map((cell, place) => {
        const chosen = at === row && place === column;
        const head = at === row && place === 0 && column !== 0;
        return R.el("td", { class: chosen ? "cell" : head ? "head" : "", "aria-current": chosen && "true" }, cell);
      }),
    ),
  );
  return [
    R.el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": table.h || table.i },
      R.el("table", { class: "source-table" }, R.el("caption", {}, [table.h || table.i, table.u].filter(Boolean).join(" · ")), R.el("thead", {}, heads), R.el("tbody", {}, body))),
    (table.f || []).map((note) => R.note(note)),
  ];
};
R.note = (number, marked) => {
  const note = R.data.notes[number];
  return R.el("p", { class: "clause" }, R.el("sup", {}, note.m), " ", marked ? R.el("mark", {}, note.x) : note.x);
};

R.pagePicture = (source) => {
  const page = R.data.pages[source.p];
  if (!page) return null;
  const share = (value, whole) => `${(100 * value) / whole}%`;
  const box = source.x && R.el("i", {});
  if (box) {
    box.style.left = share(source.x[0] - 2, page.w);
    box.style.top = share(source.x[1] - 2, page.h);
    box.style.width = share(source.x[2] - source.x[0] + 4, page.w);
    box.style.height = share(source.x[3] - source.x[1] + 4, page.h);
  }
  const sheet = R.el("div", {}, R.el("img", { src: page.i, alt: `Page ${source.p} of the source file; the place is framed` }), box || "");
  // its height is known before the picture is decoded, so that it can be scrolled to the frame at once
  sheet.style.aspectRatio = `${page.w} / ${page.h}`;
  return [
    R.el("h3", {}, `Page ${source.p} of the source`),
    R.el("div", { class: "page", tabindex: 0, role: "region", "aria-label": `Page ${source.p}` }, sheet),
  ];
};

/** Clause, table and page of a place; `inside` is where the number stands in the quoted words. */
R.place = (source, inside) => {
  const clause = R.data.clauses[source.c];
  const parts = [];
  if (source.t !== undefined) parts.push(R.sourceTable(source.t, source.r, source.k));
  if (source.f !== undefined) parts.push(R.note(source.f, true));
  if (clause && clause.x) {
    const start = source.t === undefined ? clause.x.indexOf(source.q) : -1;
    const from = inside && inside.length && start >= 0 ? start + inside[0] : undefined;
    parts.push(R.el("h3", {}, R.clauseTitle(clause)),
      R.el("p", { class: "clause" }, R.markedText(clause.x, start, start + source.q.length, from, from === undefined ? undefined : start + inside[1])));
  }
  parts.splice(source.t === undefined ? parts.length : 1, 0, R.pagePicture(source));
  return parts;
};

R.showSources = (title, numbers, insides, above) => {
  const body = numbers.map((number, at) => R.el("section", { "aria-label": R.data.sources[number].l },
    R.el("h3", {}, R.data.sources[number].l), R.place(R.data.sources[number], insides && insides[at])));
  R.panel(title, above, body);
};

R.showNumber = (label, number) => {
  const value = R.data.values[number];
  const facts = [R.el("p", {}, R.el("span", { class: `chip ${value.b}` }, value.b), ` ${value.w}`, value.t ? ` (${value.t})` : "")];
  if (value.f) facts.push(R.el("p", {}, "Formula: ", R.el("code", {}, value.f)));
  if (value.a) facts.push(R.el("p", {}, `Assumption ${value.a}`));
  if (value.ta) facts.push(R.el("p", {}, `Tolerance: assumption ${value.ta}, the document states it for another value`));
  if (value.if) facts.push(R.el("p", {}, `Only where ${value.if.join(" and ")}`));
  const tolerance = (value.ts || []).filter((source) => !(value.s || []).includes(source));
  R.showSources(`${label}: ${value.w}`, [...(value.s || []), ...tolerance], value.h, facts);
};

R.showClause = (id) => {
  const number = R.clause.get(id);
  if (number === undefined) return R.panel(id, R.el("p", {}, "This edition has no paragraph of that number."));
  const clause = R.data.clauses[number];
  const used = R.tracedTo(id);
  R.panel(
    R.clauseTitle(clause),
    clause.x && R.el("p", { class: "clause" }, clause.x),
    (clause.tb || []).map((table) => R.sourceTable(table)),
    (clause.f || []).map((note) => R.note(note)),
    used.length > 0 && [R.el("h3", {}, `${used.length} scenarios rest on it`), R.scenarioList(used)],
  );
};
R.showCell = (id, row, column) => {
  const number = R.table.get(id);
  if (number === undefined) return;
  const table = R.data.tables[number];
  const labels = table.k.map((path) => path.join(" > "));
  const found = row.startsWith("#") ? Number(row.slice(1)) - 1 : table.r.findIndex((cells) => cells[0] === row);
  R.panel(`Table ${id}, row ${row}`, R.sourceTable(number, found, labels.indexOf(column)));
};
