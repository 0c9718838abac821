# The servers whose tools "touchstone data refresh" reads. All of them are npm packages
# that need no key. docs/how-to/refresh-the-corpus.md explains this file.

corpus {
  source = "the corpus of the Touchstone authors, and reference servers of the Model Context Protocol as npm has them"
  note   = "The servers of corpus_v2 are invented, so that nobody can be asked for their tools: they are taken over. The other servers are named with their packages and versions; their texts are under the licences of those packages."
  # The servers of this corpus are copied without changes.
  keep = "corpus_v2.json"
}

install "npm" {
  files   = ["upstreams/package.json", "upstreams/package-lock.json"]
  lock    = "upstreams/package-lock.json"
  command = ["npm", "ci", "--prefix", "upstreams", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
}

upstream "everything" {
  install = "npm"
  package = "@modelcontextprotocol/server-everything"
  version = "2026.8.31"
  command = ["node", "upstreams/node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"]
}

upstream "filesystem" {
  install = "npm"
  package = "@modelcontextprotocol/server-filesystem"
  version = "2026.8.31"
  command = ["node", "upstreams/node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "upstreams"]
}

upstream "memory" {
  install = "npm"
  package = "@modelcontextprotocol/server-memory"
  version = "2026.8.31"
  command = ["node", "upstreams/node_modules/@modelcontextprotocol/server-memory/dist/index.js"]
}

upstream "sequential-thinking" {
  install = "npm"
  package = "@modelcontextprotocol/server-sequential-thinking"
  version = "2026.8.31"
  command = ["node", "upstreams/node_modules/@modelcontextprotocol/server-sequential-thinking/dist/index.js"]
}
