// The servers and tools that a case can name, and what is not known of those it names.

import { get } from "./api.js";
import { choices } from "./choices.js";

// knownTools knows the tools of registered servers. A server that was reached before is
// asked for its tools when they are first needed. Of others the tools of cases are known.
export const knownTools = async (servers, signal) => {
  const { calls } = await choices(signal);
  const asked = new Map();
  const ofCases = (server) => calls.filter((t) => t.server === server).map((t) => t.tool);
  const ask = async (s) => {
    if (s.status !== "active") return null;
    try {
      const { items } = await get(`/servers/${encodeURIComponent(s.id)}/tools`, {}, signal);
      return items.map((t) => t.name);
    } catch {
      return null; // the tools of cases stand in
    }
  };
  // of gives the tools of a server, and whether these are all.
  const of = async (name) => {
    const server = servers.find((s) => s.name === name);
    if (server && !asked.has(name)) asked.set(name, ask(server));
    const tools = server ? await asked.get(name) : null;
    return tools ? { tools, all: true } : { tools: ofCases(name), all: false };
  };
  // doubt says what is wrong with a server and a tool, or nothing.
  const doubt = async (server, tool) => {
    if (!server) return "";
    if (!servers.some((s) => s.name === server)) return `There is no server ${server}.`;
    if (!tool) return "";
    const { tools, all } = await of(server);
    if (tools.includes(tool)) return "";
    return all ? `The server ${server} has no tool ${tool}.` : `The tools of ${server} are not known, so ${tool} was not checked.`;
  };
  return { names: servers.map((s) => s.name), of, doubt };
};
