name  = "pleaseai-mcp-gateway"
about = "pleaseai/mcp-gateway, built in its checkout: one search by BM25 over the tools of all servers."

# The packages in its node_modules are links to others in the checkout, so the whole checkout is kept.
build {
  keep = ["."]
}

start {
  command = ["node", "${kept}/packages/mcp/dist/cli.js", "serve", "--scope", "user"]
  file ".please/mcp.json" {
    content = jsonencode({
      mcpServers = {
        for u in upstreams : u.name => {
          command = u.command[0]
          args    = slice(u.command, 1, length(u.command))
          env     = u.env
        }
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

# It answers when it has the tools of all servers.
ready {
  list_tools = true
}

tools {
  call        = "list_tools"
  arguments   = { limit = 100000 }
  items       = answer.tools
  server      = regex("^(.+?)__(.+)$", item.name)[0]
  name        = regex("^(.+?)__(.+)$", item.name)[1]
  description = item.description
}

search "mcp" {
  call      = "search_tools"
  arguments = { query = query, top_k = limit }
  items     = answer.tools
  server    = regex("^(.+?)__(.+)$", item.name)[0]
  name      = regex("^(.+?)__(.+)$", item.name)[1]
  score     = item.score

  # A result has no schema.
  describe {
    call      = "get_tool"
    arguments = { name = item.name }
  }
}
