# No proxy: a client that reads tools/list from every server and ranks the tools itself
# by BM25 over names, descriptions and the words of their parameters, with Snowball's
# stemming for English and without stop words. A search that is worse than this one adds
# nothing to what a library gives.
name     = "bm25-stemmed"
about    = "MCP servers without a proxy; the client ranks the tools with stemmed BM25 over all fields."
contract = "native"

start {
  command = [touchstone, "proxy", "direct", "--rank", "bm25-stemmed"]
}
