name  = "meta-mcp-proxy"
about = "nullplatform/meta-mcp-proxy: one tool that discovers the others."

option "limit" {
  default = "50"
  about   = "discoverLimit: the most results of a search. Its default is 5."
}

build {
  keep = ["run.js", "mcp-proxy.js", "package.json", "node_modules"]
}

start {
  command = ["node", "${kept}/run.js", "--config", "${home}/config.json"]
  file "config.json" {
    content = jsonencode({
      discoverLimit = tonumber(option.limit)
      mcpServers = {
        for u in upstreams : u.name => { command = u.command[0], args = slice(u.command, 1, length(u.command)), env = u.env }
      }
    })
  }
}

# It reads only the first page of a list.
replay {
  page_size = 10000
}

mcp {
  transport = "stdio"
}

# It answers when all servers are connected.
ready {
  list_tools = true
}

# It lists no tools. So a search for each shows what it holds.
search "mcp" {
  call      = "discover"
  arguments = { queries = [query] }
  items     = slice(answer, 0, min(limit, length(answer)))
  server    = item.toolId
  name      = item.method
  max_limit = 50
}
