// Cases: list, filter, delete.

import { download, remove, upload } from "../api.js";
import { choices } from "../choices.js";
import { el, named } from "../dom.js";
import { link } from "../route.js";
import { attempt, button, confirmed, empty, heading, list, table } from "../widgets.js";
import { count } from "../words.js";

const expected = (c) => {
  if (!c.expected.length) return "no tool";
  const first = named([c.expected[0], ...(c.expected[0].alternatives || [])].map((x) => x.server + ":" + x.tool).join(" or "));
  return c.expected.length === 1 ? first : [first, ` and ${count(c.expected.length - 1, "further call")}`];
};

// exchange are the buttons that write the cases to a file, and read one.
const exchange = (place) => {
  const file = el("input", { type: "file", accept: ".json,.yaml,.yml,.csv,.db,.sqlite,.sqlite3", hidden: true, "aria-label": "File of cases" });
  const save = button("Export", () => attempt(save, place, () => download("/export", { format: "json" }, "cases.json")));
  const open = button("Import", () => file.click());
  file.addEventListener("change", () => attempt(open, place, async () => {
    const name = file.files[0].name.toLowerCase();
    const format = name.endsWith(".csv") ? "csv" : /\.ya?ml$/.test(name) ? "yaml" : "json";
    const done = await upload("/import", { format }, file.files[0]);
    file.value = "";
    place.replaceChildren(el("p", { class: "notice", role: "status" }, `${count(done.cases_added, "case")} and ${count(done.servers_added, "server")} added.`,
      done.runs_added + done.runs_existing ? el("p", {}, `${count(done.runs_added, "run")} imported, ${done.runs_existing} were there already. `, done.batch_id ? el("a", { href: link(["batches", done.batch_id]) }, "See their batch") : "") : "",
      (done.notes || []).map((x) => el("p", {}, el("bdi", {}, x))),
      (done.skipped || []).map((x) => el("p", {}, el("bdi", {}, `${x.entry} was not read: ${x.reason}`)))));
  }));
  return [save, open, file];
};

export default async (root, route) => {
  const place = el("div");
  const known = await choices(route.signal);
  root.append(
    heading("Cases", el("div", { class: "buttons" }, el("a", { class: "button primary", href: link(["cases", "new"]) }, "Add a case"), exchange(place))),
    el("p", { class: "intro" }, "A case is a query with the tool and the parameters that a model should choose."), place);
  await list(root, {
    route, parts: ["cases"], path: "/cases", what: ["case", "cases"], fixed: { sort: "name" },
    filters: [{ name: "search", label: "Name or query contains" }, { name: "tag", label: "Tag", options: known.tags }, { name: "server", label: "Expected server", options: known.servers }, { name: "tool", label: "Expected tool", options: known.tools }],
    none: (filtered) => (filtered ? empty("No case matches.") : empty("There are no cases yet. ", el("a", { href: link(["cases", "new"]) }, "Add one"), ", or import a file with touchstone eval import.")),
    draw: (answer, reload) => table("Cases", [
      ["Name", (c) => el("a", { href: link(["cases", c.id]) }, named(c.name))],
      ["Query", (c) => el("span", { class: "clip", title: c.query.slice(0, 1000) }, el("bdi", {}, c.query.slice(0, 200)))],
      ["Expected", expected],
      ["Tags", (c) => (c.tags || []).map((t) => el("a", { class: "tag", href: link(["cases"], { tag: t }) }, named(t)))],
      ["Actions", (c) => {
        const drop = el("button", { type: "button", "aria-label": "Delete " + c.name }, "Delete");
        drop.addEventListener("click", async () => {
          if (!(await confirmed(`Delete the case ${c.name} with all its runs?`, "Delete"))) return;
          attempt(drop, place, async () => {
            await remove("/cases/" + encodeURIComponent(c.id));
            await reload();
          });
        });
        return el("div", { class: "buttons" }, el("a", { href: link(["start"], { case: c.id }), "aria-label": "Run " + c.name }, "Run"),
          el("a", { href: link(["runs"], { case: c.id }), "aria-label": "Runs of " + c.name }, "Runs"), drop);
      }],
    ], answer.items),
  });
};
