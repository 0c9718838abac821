// The page of one reviewer. Texts reach the document as text nodes only.
"use strict";

const byId = (id) => document.getElementById(id);
let items = 0;
let item = null;
let busy = Promise.resolve();

async function ask(path, body) {
  const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(path, options);
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

// Steps run one after the other: a key that is pressed while a label is being
// saved acts on what comes after it.
function then(step) {
  busy = busy.then(step).catch((error) => say(error.message || "The program does not answer. Nothing is lost: start it again."));
  return busy;
}

const say = (text) => { byId("message").textContent = text; };

function element(name, text, attributes = {}) {
  const e = document.createElement(name);
  if (text) e.textContent = text;
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

async function progress() {
  const p = await ask("api/progress");
  items = p.items;
  byId("title").textContent = "Labelling: " + p.judge;
  byId("progress").max = p.pairs;
  byId("progress").value = p.done;
  byId("said").textContent = `${p.done} of ${p.pairs} pairs labelled`;
  byId("of").textContent = `of ${p.items}`;
  return p;
}

async function show(number, tool) {
  item = await ask(`api/items/${number}`);
  byId("number").value = String(number + 1);
  byId("query").textContent = item.query;
  byId("about").textContent = item.id + (item.language ? `, language ${item.language}` : "");
  byId("query").lang = item.language || "en";
  byId("tools").replaceChildren(...item.tools.map(card));
  say("");
  focus(tool === undefined ? Math.max(0, item.tools.findIndex((t) => t.relevance === null)) : tool);
}

const cards = () => [...document.querySelectorAll("article")];

function focus(at) {
  const all = cards();
  if (all.length === 0) return;
  all.forEach((c, i) => { c.tabIndex = i === at ? 0 : -1; });
  all[at].focus();
  all[at].scrollIntoView({ block: "nearest", inline: "nearest" });
}

function current() {
  const all = cards();
  const within = all.findIndex((c) => c.contains(document.activeElement));
  return within >= 0 ? within : Math.max(0, all.findIndex((c) => c.tabIndex === 0));
}

function card(tool, at) {
  const c = element("article", "", { "aria-label": `${tool.tool} of ${tool.server}` });
  c.tabIndex = -1;
  c.append(element("h2", tool.tool), element("p", tool.server, { class: "server" }));
  const grades = element("div", "", { class: "grades", role: "group", "aria-label": "Grade of " + tool.tool });
  ["0 not relevant", "1 acceptable", "2 right tool"].forEach((name, grade) => {
    const b = element("button", name, { "aria-pressed": "false" });
    b.addEventListener("click", () => then(() => judge(at, grade)));
    grades.append(b);
  });
  c.append(grades, element("p", tool.description || "(no description)"), parameters(tool.schema));
  for (const [name, value] of [["Input schema", tool.schema], ["Output schema", tool.output_schema], ["Annotations", tool.annotations]]) {
    if (!value) continue;
    const d = element("details");
    d.append(element("summary", name), element("pre", JSON.stringify(value, null, 1)));
    c.append(d);
  }
  if (tool.given) c.insertBefore(element("p", tool.given.map((g) => `${g.judge}: ${g.relevance}`).join(", "), { class: "given" }), grades);
  mark(c, tool.relevance);
  return c;
}

function parameters(schema) {
  const properties = Object.entries((schema && typeof schema.properties === "object" && schema.properties) || {});
  if (properties.length === 0) return element("p", "No parameters.");
  const required = Array.isArray(schema.required) ? schema.required : [];
  const table = element("table");
  table.append(element("caption", "Parameters; * is required"));
  for (const [name, p] of properties) {
    const row = element("tr");
    const of = p && typeof p === "object" ? p : {};
    const values = Array.isArray(of.enum) ? " (" + of.enum.join(", ") + ")" : "";
    row.append(element("th", name + (required.includes(name) ? " *" : ""), { scope: "row" }), element("td", [].concat(of.type || "any").join(" or ")), element("td", (of.description || "") + values));
    table.append(row);
  }
  return table;
}

function mark(c, grade) {
  c.className = grade === null ? "" : "grade-" + grade;
  c.querySelectorAll(".grades button").forEach((b, i) => b.setAttribute("aria-pressed", String(i === grade)));
}

// judge saves a grade and goes to the next tool without one, or to the next query.
async function judge(at, grade) {
  if (!item || !item.tools[at]) return;
  await ask("api/judge", { query: item.id, tool: item.tools[at].tool_id, relevance: grade });
  item.tools[at].relevance = grade;
  mark(cards()[at], grade);
  say("");
  await progress();
  const order = [...item.tools.keys()].map((i) => (at + 1 + i) % item.tools.length);
  const open = order.find((i) => item.tools[i].relevance === null);
  if (open !== undefined) focus(open);
  else if (item.number + 1 < items) await show(item.number + 1);
  else say("This was the last query.");
}

const go = (number) => then(async () => {
  if (!Number.isInteger(number) || number < 0 || number >= items) throw new Error(`There are queries 1 to ${items}.`);
  await show(number);
});

const steps = {
  n: () => go(Math.min(item.number + 1, items - 1)),
  p: () => go(Math.max(item.number - 1, 0)),
  o: () => then(async () => {
    const p = await progress();
    if (p.next < 0) say("All pairs are labelled.");
    else await show(p.next);
  }),
  u: () => then(async () => {
    const undone = await ask("api/undo", {});
    await progress();
    await show(undone.item);
    focus(item.tools.findIndex((t) => t.tool_id === undone.tool));
  }),
  e: () => then(async () => {
    const done = await ask("api/export", {});
    say(done.judgements === 0 ? "There is no label to export." : `Exported ${done.judgements} labels to ${done.file}.`);
  }),
  g: () => {
    byId("number").focus();
    byId("number").select();
  },
  ArrowRight: () => then(() => focus(Math.min(current() + 1, cards().length - 1))),
  ArrowLeft: () => then(() => focus(Math.max(current() - 1, 0))),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "INPUT" || !item) return;
  if (["0", "1", "2"].includes(event.key)) then(() => judge(current(), Number(event.key)));
  else if (Object.hasOwn(steps, event.key)) steps[event.key]();
  else return;
  event.preventDefault();
});

for (const [id, key] of [["previous", "p"], ["next", "n"], ["open", "o"], ["undo", "u"], ["export", "e"]]) {
  byId(id).addEventListener("click", () => steps[key]());
}
byId("jump").addEventListener("submit", (event) => {
  event.preventDefault();
  go(Number(byId("number").value.replace(/\D/g, "") || NaN) - 1);
});

then(async () => {
  const p = await progress();
  await show(Math.max(0, p.next));
});
