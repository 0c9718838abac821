# Two real servers, as the project of MCP publishes them on npm.

corpus {
  source = "the reference servers of the Model Context Protocol, as npm has them"
}

install "npm" {
  files   = ["package.json", "package-lock.json"]
  lock    = "package-lock.json"
  command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
}

upstream "everything" {
  install = "npm"
  package = "@modelcontextprotocol/server-everything"
  version = "2026.8.31"
  command = ["node", "node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"]
}

upstream "memory" {
  install = "npm"
  package = "@modelcontextprotocol/server-memory"
  version = "2026.8.31"
  command = ["node", "node_modules/@modelcontextprotocol/server-memory/dist/index.js"]
}
