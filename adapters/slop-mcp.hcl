# The file of the build is that of Linux on amd64; copy the adapter for another system.
name  = "slop-mcp"
about = "slop-mcp from npm: fuzzy search over connected servers."

build {
  binary  = "node_modules/@standardbeagle/slop-mcp/binaries/slop-mcp-linux-amd64"
  command = ["npm", "ci", "--ignore-scripts"]
}

start {
  command = [binary, "serve"]
  file ".config/slop-mcp/config.kdl" {
    content = join("\n", [for u in upstreams : <<-KDL
      mcp ${jsonencode(u.name)} {
        command ${jsonencode(u.command[0])}
        args ${join(" ", [for w in slice(u.command, 1, length(u.command)) : jsonencode(w)])}
      }
    KDL
    ])
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
  call     = "get_metadata"
  done     = length([for m in answer.metadata : m if m.state != "connected"]) == 0
  progress = "${length([for m in answer.metadata : m if m.state == "connected"])} of ${length(upstreams)} servers are connected"
}

tools {
  call        = "get_metadata"
  arguments   = { verbose = true }
  items       = flatten([for m in answer.metadata : m.tools])
  server      = item.mcp_name
  name        = item.name
  description = item.description
  schema      = item.input_schema
}

search "mcp" {
  call      = "search_tools"
  arguments = { query = query, limit = limit }
  items     = answer.tools
  server    = item.mcp_name
  name      = item.name
}
