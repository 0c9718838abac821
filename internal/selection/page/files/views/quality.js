// Quality: how well the descriptions and schemas of a server's tools serve a model.

import { get } from "../api.js";
import { el, named, show } from "../dom.js";
import { link, remember } from "../route.js";
import { attempt, button, empty, heading, loading, serverChooser, table } from "../widgets.js";
import { count, figure } from "../words.js";

const perPage = 50;

const parts = [["Overall", "overall"], ["Clarity", "clarity"], ["Completeness", "completeness"], ["Conciseness", "conciseness"], ["Schema coverage", "schema_coverage"]];

const meter = (v) => (v === null ? "–" : [el("meter", { min: 0, max: 10, low: 5, high: 7.5, optimum: 10, value: v, "aria-label": figure(v, 1) + " of 10" }), " ", el("span", { class: "number" }, figure(v, 1))]);

const tools = (list) => {
  const box = el("div");
  const sorted = [...list].sort((a, b) => a.overall - b.overall);
  const draw = (limit) => show(box, table("Tools, the weakest first", [
    ["Tool", (t) => named(t.tool)],
    ...parts.map(([title, name]) => [title, (t) => meter(t[name])]),
    ["Why", (t) => (t.reasons.length ? el("ul", { class: "reasons" }, t.reasons.map((r) => el("li", {}, el("bdi", {}, r)))) : "nothing to improve")],
  ], sorted.slice(0, limit)), limit < sorted.length ? button(`Show more (${limit} of ${sorted.length})`, () => draw(limit + perPage)) : "");
  draw(perPage);
  return box;
};

const server = (q) => el("section", {}, el("h2", {}, named(q.server), `: ${count(q.tools.length, "tool")}`), q.tools.length ? [
  el("dl", { class: "facts" }, parts.map(([title, name]) => el("div", {}, el("dt", {}, title), el("dd", {}, meter(q[name]))))), tools(q.tools),
] : el("p", {}, "The server has no tools."));

export default async (root, route) => {
  show(root, heading("Quality"), loading("the servers"));
  const servers = await serverChooser(route.query.getAll("server"), route.signal);
  const out = el("div");
  const place = el("div");
  const submit = el("button", { type: "submit", class: "primary" }, "Rate the tools");
  const run = () => attempt(submit, place, async () => {
    const names = servers.chosen();
    if (!names.length) throw new Error("Choose a server at least.");
    remember(["quality"], { server: names });
    show(out, loading("the tools"));
    try {
      const { items } = await get("/quality", { server: names }, route.signal);
      show(out, items.map(server), el("p", { class: "quiet" }, "Each figure is 0 to 10."));
    } catch (err) {
      show(out);
      throw err;
    }
  });
  show(root, heading("Quality"), el("p", { class: "intro" }, "How well the descriptions and schemas of tools serve a model. The servers are asked for their tools now."),
    servers.none ? empty("There are no servers yet. ", el("a", { href: link(["servers"]) }, "Register one first"), ".") : el("form", {
      class: "form", "aria-label": "What to rate", onsubmit: (ev) => {
        ev.preventDefault();
        run();
      },
    }, servers.box, el("div", { class: "buttons" }, submit)), place, out);
  if (servers.chosen().length) await run();
};
