// Servers: list, register, check, change, delete.

import { patch, post, remove } from "../api.js";
import { el, named, say, show } from "../dom.js";
import { link } from "../route.js";
import { attempt, button, confirmed, empty, field, heading, list, table } from "../widgets.js";
import { badge, time } from "../words.js";

const states = { active: ["✓", "active", "good"], failed: ["!", "failed", "bad"], inactive: ["·", "never contacted", "plain"] };

const transports = [["", "as the URL calls for"], ["streamable-http", "streamable HTTP"], ["sse", "SSE"], ["stdio", "stdio"]];

// form registers a server, or changes one.
const form = (server, done) => {
  const name = field("Name", { value: server ? server.name : "", required: true, maxlength: 100 });
  const url = field("URL", { value: server ? server.url : "", required: true, maxlength: 2000, spellcheck: "false" }, null,
    "http or https, or stdio: and a command line where the service may start programs");
  const transport = field("Transport", { value: server ? server.transport : "" }, server ? transports.slice(1) : transports);
  const submit = el("button", { type: "submit", class: "primary" }, server ? "Save and check" : "Register and check");
  const place = el("div");
  return el("form", {
    class: "form", "aria-label": server ? "Change the server" : "Register a server", onsubmit: (ev) => {
      ev.preventDefault();
      attempt(submit, place, async () => {
        const body = { name: name.input.value.trim(), url: url.input.value.trim() };
        if (transport.input.value) body.transport = transport.input.value;
        const stored = server ? await patch("/servers/" + encodeURIComponent(server.id), body) : await post("/servers", body);
        done(stored);
      });
    },
  }, name.box, url.box, transport.box, place, el("div", { class: "buttons" }, submit, server ? button("Cancel", () => done(null)) : ""));
};

export default async (root, route) => {
  const place = el("div");
  const result = (s) => {
    const [, word] = states[s.status];
    const text = `${s.name}: ${s.slow ? "slow" : word}${s.status_reason ? ": " + s.status_reason : ""}`;
    show(place, el("p", { class: "notice " + (s.status === "active" ? "good" : s.slow ? "" : "bad") }, text));
    say(text);
  };
  let reload = () => {};
  const register = el("details", { class: "panel" }, el("summary", {}, "Register a server"));
  const fresh = () => {
    register.replaceChildren(register.firstElementChild, form(null, async (stored) => {
      await reload();
      result(stored);
      register.open = false;
      fresh();
    }));
  };
  fresh();
  root.append(heading("Servers"), el("p", { class: "intro" }, "MCP servers whose tools are offered to models. Their tools are read when a run starts."), register, place);

  const actions = (s) => {
    const path = "/servers/" + encodeURIComponent(s.id);
    const check = button("Check", () => attempt(check, place, async () => {
      const checked = await patch(path, {});
      await reload();
      result(checked);
    }));
    const edit = button("Change", () => {
      const row = edit.closest("tr");
      const box = el("tr", {}, el("td", { colspan: 5 }, form(s, async (stored) => {
        box.remove();
        if (!stored) {
          edit.focus();
          return;
        }
        await reload();
        result(stored);
      })));
      row.after(box);
      box.querySelector("input").focus();
    });
    const drop = button("Delete", async () => {
      if (!(await confirmed(`Delete the server ${s.name}? A server that a case or a run needs is kept.`, "Delete"))) return;
      attempt(drop, place, async () => {
        await remove(path);
        await reload();
      });
    });
    for (const b of [check, edit, drop]) b.setAttribute("aria-label", b.textContent + " " + s.name);
    return el("div", { class: "buttons" }, check, edit, drop, el("a", { href: link(["quality"], { server: s.name }) }, "Quality"));
  };
  await list(root, {
    route, parts: ["servers"], path: "/servers", what: ["server", "servers"],
    filters: [{ name: "search", label: "Name or URL contains" }, { name: "status", label: "State", options: [["", "any"], ["active", "active"], ["failed", "failed"], ["inactive", "never contacted"]] }],
    none: (filtered) => (filtered ? empty("No server matches.") : empty("There are no servers yet. Register one above.")),
    ready: (load) => {
      reload = load;
    },
    draw: (answer) => table("Servers", [
      ["Name", (s) => named(s.name)],
      ["URL", (s) => el("span", { class: "long" }, named(s.url))],
      ["State", (s) => badge(...states[s.status])],
      ["Last connected", (s) => time(s.last_connected_at)],
      ["Actions", actions],
    ], answer.items),
  });
};
