name  = "mcp-gateway"
about = "eznix86/mcp-gateway: one search over the tools of all servers."

build {
  keep = ["dist"]
}

start {
  command = ["node", "${kept}/dist/index.js", "${home}/config.json"]
  file "config.json" {
    content = jsonencode({
      for u in upstreams : u.name => { type = "local", command = u.command, environment = u.env }
    })
  }
}

replay {
  page_size = 10000
}

mcp {
  transport = "stdio"
}

ready {
  list_tools = true
}

search "mcp" {
  call      = "gateway.search"
  arguments = { query = query, limit = limit }
  items     = answer.results
  server    = item.server
  name      = item.name
  score     = item.score
  max_limit = 50
}
