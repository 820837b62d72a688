"use strict";
// Sorting: entries that are not known stand last in either direction.
const compare = (numeric) => (a, b) =>
  numeric ? Number(a) - Number(b) : a.localeCompare(b, undefined, { numeric: true });
const sort = (head) => {
  const table = head.closest("table");
  const column = head.cellIndex;
  const down = head.getAttribute("aria-sort") === "ascending";
  const order = compare(head.classList.contains("number"));
  const key = (row) => row.cells[column].dataset.order;
  const rows = [...table.tBodies[0].rows];
  const known = rows.filter((row) => key(row) !== undefined);
  const unknown = rows.filter((row) => key(row) === undefined);
  known.sort((a, b) => (down ? -1 : 1) * order(key(a), key(b)));
  table.tBodies[0].append(...known, ...unknown);
  for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
};
document.addEventListener("click", (event) => {
  const button = event.target.closest("th button");
  if (button) sort(button.parentElement);
});
const theme = document.getElementById("theme");
theme.addEventListener("click", () => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  root.dataset.theme = (root.dataset.theme || system) === "dark" ? "light" : "dark";
});
