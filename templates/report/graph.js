// Pan, zoom and focus of the reference graph.
R.graph = () => {
  const svg = R.byId("graph");
  const whole = svg.viewBox.baseVal;
  const full = { x: 0, y: 0, w: whole.width, h: whole.height };
  let view = { ...full };
  const apply = () => svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`);
  const scale = () => Math.min(svg.clientWidth / view.w, svg.clientHeight / view.h) || 1;
  const zoom = (factor, at) => {
    const w = Math.min(Math.max(view.w * factor, 250), full.w * 1.5);
    const ratio = w / view.w;
    view = { x: at.x - (at.x - view.x) * ratio, y: at.y - (at.y - view.y) * ratio, w, h: view.h * ratio };
    apply();
  };
  const point = (event) => {
    const box = svg.getBoundingClientRect();
    return { x: view.x + (event.clientX - box.left) / scale(), y: view.y + (event.clientY - box.top) / scale() };
  };
  const middle = () => ({ x: view.x + view.w / 2, y: view.y + view.h / 2 });
  // A graph of a whole regulation is too large to read at once: it opens at its upper left, as wide as it can be read.
  R.openGraph = () => {
    if (view.w !== full.w || !svg.clientWidth) return;
    const w = Math.min(full.w, svg.clientWidth * 1.05);
    view = { x: 0, y: 0, w, h: (w * svg.clientHeight) / svg.clientWidth };
    apply();
  };
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, point(event));
  }, { passive: false });
  let drag = null;
  svg.addEventListener("pointerdown", (event) => {
    drag = { x: event.clientX, y: event.clientY, from: { ...view }, moved: false };
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const dx = event.clientX - drag.x, dy = event.clientY - drag.y;
    if (!drag.moved && Math.hypot(dx, dy) < 4) return;
    drag.moved = true;
    view = { ...view, x: drag.from.x - dx / scale(), y: drag.from.y - dy / scale() };
    apply();
  });
  for (const name of ["pointerup", "pointerleave", "pointercancel"]) svg.addEventListener(name, () => setTimeout(() => (drag = null)));
  for (const button of document.querySelectorAll("[data-zoom]"))
    button.addEventListener("click", () => {
      if (button.dataset.zoom === "fit") { view = { ...full }; apply(); }
      else zoom(button.dataset.zoom === "in" ? 1 / 1.4 : 1.4, middle());
    });
  const nodes = [...svg.querySelectorAll("[data-node]")];
  const focus = (node) => {
    svg.classList.add("focus");
    for (const other of nodes) other.classList.remove("lit");
    node.classList.add("lit");
    for (const edge of svg.querySelectorAll(".edges path")) {
      edge.classList.toggle("out", edge.dataset.from === node.dataset.node);
      edge.classList.toggle("in", edge.dataset.to === node.dataset.node);
    }
  };
  const open = (node) => {
    const id = node.dataset.node;
    if (R.table.has(id)) R.panel(`Table ${id}`, R.sourceTable(R.table.get(id)));
    else if (R.clause.has(id)) R.showClause(id);
  };
  nodes.forEach((node, at) => {
    node.addEventListener("focus", () => focus(node));
    node.addEventListener("click", () => { if (!drag || !drag.moved) { focus(node); open(node); } });
    node.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(node); }
      if (!step) return;
      event.preventDefault();
      const next = nodes[(at + step + nodes.length) % nodes.length];
      node.setAttribute("tabindex", -1);
      next.setAttribute("tabindex", 0);
      next.focus();
    });
  });
};
