// What filters can be set to, as options of lists to choose from.

import { get } from "./api.js";
import { batchName } from "./words.js";

const options = (values) => [["", "any"], ...values.map((v) => [v, v])];

// choices reads the servers, tools, tags and models that cases and runs can be
// filtered by.
export const choices = async (signal) => {
  const all = await get("/choices", {}, signal);
  const byTool = new Map();
  for (const t of all.tools) byTool.set(t.tool, [...(byTool.get(t.tool) || []), t.server]);
  const tools = [...byTool].sort(([a], [b]) => (a < b ? -1 : 1)).map(([tool, servers]) => [tool, `${tool} (${servers.join(", ")})`]);
  return { calls: all.tools, servers: options(all.servers), tools: [["", "any"], ...tools], tags: options(all.tags), models: options(all.models) };
};

const batchText = (b) => batchName(b) + ", " + new Date(b.created_at).toLocaleString();

// batchOptions are the newest batches to choose from, each under a value.
export const batchOptions = (batches, value = (b) => b.id) => batches.map((b) => [value(b), batchText(b)]);
