// Cases: list, filter, delete.

import { remove } from "../api.js";
import { el, named } from "../dom.js";
import { link } from "../route.js";
import { attempt, confirmed, empty, heading, list, table } from "../widgets.js";
import { count } from "../words.js";

const expected = (c) => {
  if (!c.expected.length) return "no tool";
  const first = named(c.expected[0].server + ":" + c.expected[0].tool);
  return c.expected.length === 1 ? first : [first, ` and ${count(c.expected.length - 1, "further call")}`];
};

export default async (root, route) => {
  const place = el("div");
  root.append(
    heading("Cases", el("a", { class: "button primary", href: link(["cases", "new"]) }, "Add a case")),
    el("p", { class: "intro" }, "A case is a query with the tool and the parameters that a model should choose."), place);
  await list(root, {
    route, parts: ["cases"], path: "/cases", what: ["case", "cases"], fixed: { sort: "name" },
    filters: [{ name: "search", label: "Name or query contains" }, { name: "tag", label: "Tag" }, { name: "server", label: "Expected server" }, { name: "tool", label: "Expected tool" }],
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
