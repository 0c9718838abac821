# The contract of docs/own-proxy.md, said in the words of an adapter, over the
# reference proxy inside touchstone. It gives what the built-in way gives, list
# for list; start from a copy of it for a proxy that differs a little.
name  = "reference"
about = "The proxy that touchstone carries."

start {
  command = [
    touchstone, "proxy", "serve", "--config", "${home}/config.json",
    "--listen", "127.0.0.1:0", "--ready-file", "${home}/ready.json", "--until-stdin-closes",
  ]
  file "config.json" {
    content = jsonencode({
      upstreams = [for u in upstreams : { name = u.name, command = u.command }]
    })
  }
}

announce {
  file = "ready.json"
  url  = answer.url
  mcp  = answer.mcp
}

ready {
  path     = "/api/v1/status"
  done     = answer.state == "ready"
  progress = "${answer.indexed} of ${answer.expected} tools are indexed"
}

tools {
  path        = "/api/v1/tools"
  items       = answer.tools
  id          = item.name
  description = item.description
  schema      = item.inputSchema
  problem     = item.state == "indexed" ? null : "it is ${item.state}"
}

search "mcp" {
  call      = "retrieve_tools"
  arguments = { query = query, limit = limit }
  items     = answer.tools
  id        = item.name
  score     = item.score
}

search "rest" {
  path   = "/api/v1/index/search"
  params = { q = query, limit = limit }
  items  = answer.tools
  id     = item.name
  score  = item.score
}
