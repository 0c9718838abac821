# The contract of docs/reference/proxy-contract.md, written as an adapter, for the reference proxy in
# touchstone. Its results are identical to those of the built-in dialect. For a proxy
# with a slightly different interface, start from a copy of this file.
name  = "reference"
about = "The reference proxy in touchstone."

start {
  command = [
    touchstone, "proxy", "serve", "--config", "${home}/config.json",
    "--listen", "127.0.0.1:0", "--ready-file", "${home}/ready.json", "--until-stdin-closes",
  ]
  file "config.json" {
    content = jsonencode(merge(
      { upstreams = [for u in upstreams : { name = u.name, command = u.command }] },
      model == "" ? {} : { model = model },
    ))
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
