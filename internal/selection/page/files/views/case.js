// Adds a case, or changes one.

import { get, patch, post } from "../api.js";
import { el, named, show } from "../dom.js";
import { go, link } from "../route.js";
import { knownTools } from "../knowntools.js";
import { attempt, button, empty, field, heading, loading, serverChooser, suggest } from "../widgets.js";

// doubted shows under a field what is not known of the tools that it names. read gives
// them, as [server, tool].
const doubted = (fields, known, read) => {
  const text = el("p", { class: "doubt", role: "status" });
  let latest = 0;
  const check = async () => {
    const mine = ++latest;
    const doubts = await Promise.all(read().map(([server, tool]) => known.doubt(server, tool)));
    if (mine === latest) show(text, [...new Set(doubts)].filter(Boolean).join(" "));
  };
  for (const { input } of fields) input.addEventListener("change", check);
  check();
  return text;
};

// callEditor is the fields of one expected call.
const callEditor = (call, known, drop) => {
  const server = field("Server", { value: call.server || "", required: true, maxlength: 100, spellcheck: "false" });
  const tool = field("Tool", { value: call.tool || "", required: true, maxlength: 200, spellcheck: "false" });
  suggest(server)(known.names);
  const offerTools = suggest(tool);
  const fill = async () => offerTools((await known.of(server.input.value.trim())).tools);
  server.input.addEventListener("change", fill);
  fill();
  const doubt = doubted([server, tool], known, () => [[server.input.value.trim(), tool.input.value.trim()]]);
  const parameters = field("Parameters", { rows: 4, value: call.parameters ? JSON.stringify(call.parameters, null, 2) : "", spellcheck: "false", class: "code" }, null,
    "A JSON object of right values. Empty: no right values.");
  const { server: s, tool: t, parameters: p, ...others } = call;
  const rules = field("Rules", { rows: 4, value: Object.keys(others).length ? JSON.stringify(others, null, 2) : "", spellcheck: "false", class: "code" }, null,
    "A JSON object with any of match, other_parameters, optional and alternatives. Optional.");
  const box = el("fieldset", { class: "call" }, el("legend", {}, "Expected call"), server.box, tool.box, doubt, parameters.box, rules.box,
    el("div", { class: "buttons" }, button("Remove this call", () => drop())));
  const parsed = (input, what, tool) => {
    try {
      return JSON.parse(input.value);
    } catch (err) {
      input.focus();
      throw new Error(`The ${what} of ${tool || "a call"} are not JSON: ${err.message}`);
    }
  };
  const read = () => {
    const out = { server: server.input.value.trim(), tool: tool.input.value.trim() };
    if (rules.input.value.trim()) Object.assign(out, parsed(rules.input, "rules", out.tool));
    if (parameters.input.value.trim()) out.parameters = parsed(parameters.input, "parameters", out.tool);
    return out;
  };
  return { box, read };
};

export default async (root, route) => {
  const isNew = route.id === "new";
  show(root, loading("the case"));
  const c = isNew ? { name: "", query: "", servers: [], expected: [], tags: [] } : await get("/cases/" + encodeURIComponent(route.id), {}, route.signal);
  const servers = await serverChooser(c.servers, route.signal);
  const known = await knownTools(servers.all, route.signal);
  const name = field("Name", { value: c.name, required: true, maxlength: 200 });
  const query = field("Query", { rows: 3, value: c.query, required: true, maxlength: 100000 }, null, "What the user asks the model.");
  const tags = field("Tags", { value: (c.tags || []).join(", ") }, null, "Separated by commas.");
  const forbidden = field("Forbidden tools", { value: (c.forbidden || []).map((f) => f.server + ":" + f.tool).join(", "), spellcheck: "false" }, null,
    "server:tool, separated by commas. A call of one of them makes the run wrong.");
  const writtenForbidden = () => forbidden.input.value.split(",").map((t) => t.trim()).filter(Boolean).map((text) => {
    const [server, ...tool] = text.split(":");
    return [server, tool.join(":"), text];
  });
  const readForbidden = () => writtenForbidden().map(([server, tool, text]) => {
    if (!tool) throw new Error(`${text} is not of the form server:tool.`);
    return { server, tool };
  });
  const ordered = el("input", { type: "checkbox" });
  ordered.checked = Boolean(c.ordered);
  const editors = [];
  const calls = el("div");
  const drawCalls = () => show(calls, editors.length ? editors.map((e) => e.box) : el("p", { class: "quiet" }, "No tool is expected: the model is right if it calls none."));
  const add = (call) => {
    const editor = callEditor(call, known, () => {
      editors.splice(editors.indexOf(editor), 1);
      drawCalls();
      more.focus();
    });
    editors.push(editor);
    drawCalls();
    return editor;
  };
  const more = button("Add an expected call", () => add({ server: servers.chosen()[0] }).box.querySelector("input").focus());
  c.expected.forEach(add);
  drawCalls();
  const place = el("div");
  const submit = el("button", { type: "submit", class: "primary" }, isNew ? "Add the case" : "Save");
  const form = el("form", {
    class: "form", "aria-label": "Case", onsubmit: (ev) => {
      ev.preventDefault();
      attempt(submit, place, async () => {
        const body = {
          name: name.input.value.trim(), query: query.input.value.trim(), servers: servers.chosen(), expected: editors.map((e) => e.read()),
          ordered: ordered.checked, forbidden: readForbidden(), tags: tags.input.value.split(",").map((t) => t.trim()).filter(Boolean),
        };
        if (isNew) await post("/cases", body);
        else await patch("/cases/" + encodeURIComponent(c.id), body);
        go(["cases"]);
      });
    },
  }, name.box, query.box, servers.none ? empty("There are no servers yet. ", el("a", { href: link(["servers"]) }, "Register one first"), ".") : servers.box, calls,
  el("div", { class: "buttons" }, more), el("label", { class: "check" }, ordered, "Several calls have to come in this order"), forbidden.box, doubted([forbidden], known, writtenForbidden), tags.box, place,
  el("div", { class: "buttons" }, submit, el("a", { href: link(["cases"]) }, "Cancel")));
  show(root, heading(isNew ? "Add a case" : "Change a case"),
    isNew ? "" : el("p", { class: "intro" }, named(c.name), ". Its runs stay as they are. ", el("a", { href: link(["runs"], { case: c.id }) }, "See its runs"), "."), form);
};
