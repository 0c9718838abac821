// Quality: what of the names, descriptions and schemas of servers' tools can be checked.

import { get } from "../api.js";
import { el, named, show } from "../dom.js";
import { link, remember } from "../route.js";
import { attempt, button, empty, heading, loading, serverChooser, table } from "../widgets.js";
import { count } from "../words.js";

const perPage = 50;

const tools = (list) => {
  const box = el("div");
  const sorted = [...list].sort((a, b) => b.wrong_cases.length - a.wrong_cases.length || b.findings.length - a.findings.length);
  const draw = (limit) => show(box, table("Tools, those with wrong cases first", [
    ["Tool", (t) => named(t.tool)],
    ["Findings", (t) => (t.findings.length ? el("ul", { class: "reasons" }, t.findings.map((f) => el("li", {}, el("bdi", {}, f.text)))) : "none")],
    ["Cases that went wrong with it", (t) => (t.wrong_cases.length ? el("bdi", {}, t.wrong_cases.join(", ")) : "none")],
  ], sorted.slice(0, limit)), limit < sorted.length ? button(`Show more (${limit} of ${sorted.length})`, () => draw(limit + perPage)) : "");
  draw(perPage);
  return box;
};

const server = (name, items) => el("section", {}, el("h2", {}, named(name), `: ${count(items.length, "tool")}`), items.length ? tools(items) : el("p", {}, "The server has no tools."));

export default async (root, route) => {
  show(root, heading("Quality"), loading("the servers"));
  const servers = await serverChooser(route.query.getAll("server"), route.signal);
  const out = el("div");
  const place = el("div");
  const submit = el("button", { type: "submit", class: "primary" }, "Check the tools");
  const run = () => attempt(submit, place, async () => {
    const names = servers.chosen();
    if (!names.length) throw new Error("Choose a server at least.");
    remember(["quality"], { server: names });
    show(out, loading("the tools"));
    try {
      const { items } = await get("/quality", { server: names }, route.signal);
      show(out, names.map((name) => server(name, items.filter((t) => t.server === name))));
    } catch (err) {
      show(out);
      throw err;
    }
  });
  show(root, heading("Quality"), el("p", { class: "intro" }, "What of the names, descriptions and schemas of tools can keep a model from the right choice. The servers are asked for their tools now."),
    servers.none ? empty("There are no servers yet. ", el("a", { href: link(["servers"]) }, "Register one first"), ".") : el("form", {
      class: "form", "aria-label": "What to check", onsubmit: (ev) => {
        ev.preventDefault();
        run();
      },
    }, servers.box, el("div", { class: "buttons" }, submit)), place, out);
  if (servers.chosen().length) await run();
};
