const R = { el: (tag, attributes, ...children) => { const node = document.createElement(tag); for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value); node.append(...children); return node; } };
document.addEventListener("DOMContentLoaded", () => { for (const table of document.querySelectorAll("table.sortable")) R.sortable(table); });
