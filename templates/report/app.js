// Which section is shown, and what a click opens.
R.views = [...document.querySelectorAll(".view")];
R.route = () => {
  const [name, ...rest] = decodeURIComponent(location.hash.slice(1)).split("/");
  const scenario = name === "scenario" ? R.scenario.get(rest.join("/")) : null;
  const inside = name && !scenario && document.getElementById(name);
  const target = scenario ? R.byId("scenario") : R.views.find((view) => view.id === name && name !== "scenario") || (inside && inside.closest(".view")) || R.views[0];
  if (R.byId("panel").open) R.closePanel();
  R.stop();
  for (const view of R.views) view.hidden = view !== target;
  R.byId("scenario").classList.toggle("open", Boolean(scenario));
  document.documentElement.classList.toggle("one", Boolean(scenario));
  if (scenario) R.showScenario(scenario);
  const current = scenario ? "scenarios" : target.id;
  for (const link of document.querySelectorAll("nav.views a"))
    if (link.hash === `#${current}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  if (inside && inside !== target) inside.scrollIntoView();
  else requestAnimationFrame(() => window.scrollTo(0, 0));
  if (target.id === "references") R.openGraph();
};
document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.dataset.q !== undefined) R.showNumber(button.dataset.label, Number(button.dataset.q));
  else if (button.dataset.sources) R.showSources(button.dataset.label, JSON.parse(button.dataset.sources));
  else if (button.dataset.clause) R.showClause(button.dataset.clause);
  else if (button.dataset.table) R.showCell(button.dataset.table, button.dataset.row, button.dataset.column);
  else if (button.dataset.trace) R.showTrace(button.dataset.trace, button.dataset.test);
});
R.byId("panel-close").addEventListener("click", R.closePanel);
R.byId("panel").addEventListener("click", (event) => { if (event.target === R.byId("panel")) R.closePanel(); });
R.byId("print").addEventListener("click", () => window.print());
// On paper nothing can be opened.
window.addEventListener("beforeprint", () => { for (const details of document.querySelectorAll("details:not(.screen)")) details.open = true; });
for (const table of document.querySelectorAll("table.sortable")) R.sortable(table);
R.filters();
R.graph();
window.addEventListener("hashchange", () => {
  R.route();
  R.byId(location.hash.startsWith("#scenario/") ? "h-scenario" : "main").focus({ preventScroll: true });
});
R.route();
document.documentElement.classList.remove("starting");
