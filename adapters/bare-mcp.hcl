# No proxy: a client that reads tools/list from every server and ranks the tools
# itself, by textbook BM25 over names and descriptions. The difference from this is
# what the search of a proxy adds.
name     = "bare-mcp"
about    = "MCP servers without a proxy; the client ranks the tools with BM25."
contract = "native"

start {
  command = [touchstone, "proxy", "direct", "--rank", "bm25"]
}
