# No proxy at all: a client that reads tools/list of every server and ranks the
# tools on its side, by the textbook's BM25 over names and descriptions. What a
# proxy's search adds is its distance from this.
name     = "bare-mcp"
about    = "MCP servers without a proxy; the client ranks by BM25."
contract = "native"

start {
  command = [touchstone, "proxy", "direct", "--rank", "bm25"]
}
