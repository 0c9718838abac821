// A proxy over stdio: it reads the tools of its servers and searches them by words.
import { readFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const servers = JSON.parse(readFileSync(process.argv[2], "utf8")).mcpServers;

function listTools(server, { command, args }) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
    const send = (message) => child.stdin.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
    const tools = [];
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { id, result } = JSON.parse(line);
      if (id === 1) send({ method: "notifications/initialized" });
      if (id > 1) tools.push(...result.tools.map((t) => ({ server, name: t.name, text: `${t.name} ${t.description}` })));
      if (id === 1 || result.nextCursor) send({ id: id + 1, method: "tools/list", params: { cursor: result.nextCursor } });
      else child.kill(), resolve(tools);
    });
    send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "small", version: "1" } } });
  });
}

const tools = (await Promise.all(Object.entries(servers).map(([name, s]) => listTools(name, s)))).flat();
const words = (text) => new Set(text.toLowerCase().match(/[a-z0-9]+/g) ?? []);
const index = tools.map((t) => ({ ...t, words: words(t.text) }));

function search({ query, limit = 5 }) {
  const asked = [...words(query)];
  return index.map((t) => ({ server: t.server, tool: t.name, score: asked.filter((w) => t.words.has(w)).length }))
    .filter((t) => t.score > 0).sort((a, b) => b.score - a.score).slice(0, limit);
}

const inputSchema = { type: "object", properties: { query: { type: "string" }, limit: { type: "integer" } }, required: ["query"] };
const answers = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "small", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "search_tools", description: "Find tools by words.", inputSchema }] }),
  "tools/call": (p) => ({ content: [{ type: "text", text: JSON.stringify({ results: search(p.arguments) }) }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: answers[method]?.(params) ?? {} }));
}).on("close", () => process.exit());
