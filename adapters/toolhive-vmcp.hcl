# ToolHive's virtual MCP server with its optimizer, which offers find_tool in place of all tools. Without a service for
# embeddings, it searches by BM25 alone.
name  = "toolhive-vmcp"
about = "ToolHive's vMCP with its optimizer, from a checkout of its source."

option "tools" {
  default = "8"
  about   = "maxToolsToReturn: the most results of a search."
}

build {
  binary  = "vmcp"
  command = ["go", "build", "-o", "vmcp", "./cmd/vmcp"]
  env     = { CGO_ENABLED = "0" }
}

start {
  command = [binary, "serve", "--config", "${home}/config.yaml", "--host", host, "--port", port]
  file "config.yaml" {
    content = jsonencode({
      name         = "touchstone"
      groupRef     = "touchstone"
      backends     = [for u in upstreams : { name = u.name, url = u.url, transport = "streamable-http" }]
      incomingAuth = { type = "anonymous" }
      outgoingAuth = { source = "inline", default = { type = "unauthenticated" } }
      aggregation  = { conflictResolution = "prefix", conflictResolutionConfig = { prefixFormat = "{workload}." } }
      optimizer    = { maxToolsToReturn = tonumber(option.tools) }
    })
  }
}

ready {
  path      = "/health"
  find_each = true
}

search "mcp" {
  call      = "find_tool"
  arguments = { tool_description = query }
  items     = [for i, t in flatten([answer.tools]) : t if t != null && i < limit] # null if it finds nothing
  server    = regex("^([^.]+)\\.(.+)$", item.name)[0]
  name      = regex("^([^.]+)\\.(.+)$", item.name)[1]
}
