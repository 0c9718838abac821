name  = "tool-hub-mcp"
about = "khanglvm/tool-hub-mcp, built in its checkout: one search over the tools of all servers."

build {
  binary = "tool-hub-mcp"
}

start {
  command = [binary, "serve"]
  file ".tool-hub-mcp.json" {
    content = jsonencode({
      servers = {
        for u in upstreams : u.name => {
          command = u.command[0]
          args    = slice(u.command, 1, length(u.command))
          env     = u.env
        }
      }
    })
  }
  # It looks for updates once a day.
  file ".tool-hub-mcp-cache.json" {
    content = jsonencode({ lastUpdateCheck = "2999-01-01T00:00:00Z" })
  }
}

# It reads only the first page of a list.
replay {
  page_size = 10000
}

mcp {
  transport = "stdio"
}

ready {
  list_tools = true
}

# It lists no tools, and connects its servers after its first answer. So a search for each shows what it holds.
search "mcp" {
  call      = "hub_search"
  arguments = { query = query, limit = limit }
  items     = answer.results
  server    = item.server
  name      = item.name
  score     = item.score
}
