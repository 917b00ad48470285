// Tables that sort by their headers, and the filters of the scenario table.
R.value = (row, column) => {
  const cell = row.cells[column];
  const text = cell.dataset.sort ?? cell.textContent.trim();
  const number = Number(text);
  return text !== "" && !Number.isNaN(number) ? number : text;
};
R.compare = (a, b) =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });

R.sortable = (table) => {
  for (const header of table.tHead.rows[0].cells) {
    const button = R.el("button", { type: "button", class: "sort" }, ...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const up = header.getAttribute("aria-sort") !== "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", up ? "ascending" : "descending");
      const rows = [...table.tBodies[0].rows].map((row) => [R.value(row, header.cellIndex), row]);
      rows.sort((a, b) => (up ? 1 : -1) * R.compare(a[0], b[0]));
      table.tBodies[0].append(...rows.map((pair) => pair[1]));
    });
  }
};

R.filters = () => {
  const form = R.byId("filters");
  const rows = [...R.byId("scenario-table").tBodies[0].rows];
  const selects = [...form.querySelectorAll("select")];
  for (const select of selects) {
    const values = [...new Set(rows.map((row) => row.dataset[select.dataset.key]))];
    select.append(R.el("option", { value: "" }, "all"), ...values.map((value) => R.el("option", {}, value)));
  }
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase().replace(/\s+/g, " ")]));
  const apply = () => {
    const words = R.byId("f-text").value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of rows) {
      const fits =
        selects.every((select) => !select.value || row.dataset[select.dataset.key] === select.value) &&
        words.every((word) => texts.get(row).includes(word));
      row.hidden = !fits;
      shown += fits;
    }
    R.byId("shown").textContent = shown === rows.length ? `${shown} scenarios` : `${shown} of ${rows.length} scenarios`;
  };
  for (const name of ["input", "change"]) form.addEventListener(name, apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
};
/** Ids of the scenario table as it is filtered and sorted now. */
R.listed = () => [...R.byId("scenario-table").tBodies[0].rows].filter((row) => !row.hidden).map((row) => row.dataset.id);
