# mcpproxy-go as its users run it: a configuration file, a data directory, the REST
# search and retrieve_tools. This adapter does not build it. Build it in its checkout
# by its own instructions, so that the checkout contains the file "mcpproxy", or give
# the build command with --var 'proxy_build=[...]'.
name  = "mcpproxy"
about = "mcpproxy-go, from a checkout of its source."

option "tools_limit" {
  default = "15"
  about   = "The number of search results if a query has no limit."
}

option "response_mode" {
  default = "full"
  about   = "The detail of each tool in the answer of retrieve_tools: full or compact."
}

build {
  binary = "mcpproxy"
}

start {
  directories = ["data"]
  command = [
    binary, "serve", "--config", "${home}/config.json", "--data-dir", "${home}/data",
    "--listen", listen, "--enable-socket=false", "--log-level", "warn",
  ]
  env = {
    DO_NOT_TRACK                 = "1"
    HEADLESS                     = "1"
    NO_BROWSER                   = "1"
    MCPPROXY_TELEMETRY           = "false"
    MCPPROXY_DISABLE_AUTO_UPDATE = "true"
    MCPPROXY_DISABLE_OAUTH       = "true"
  }
  file "config.json" {
    content = jsonencode({
      listen             = listen
      data_dir           = "${home}/data"
      api_key            = token
      enable_socket      = false
      require_mcp_auth   = true
      tools_limit        = tonumber(option.tools_limit)
      tool_response_mode = option.response_mode

      # Send nothing to other machines, and wait for no person.
      telemetry          = { enabled = false }
      update_check       = { enabled = false }
      docker_isolation   = { enabled = false }
      quarantine_enabled = false
      check_server_repo  = false
      tokenizer          = { enabled = false }
      registries         = []
      allow_server_add   = false

      # It only serves the tools that it read at its start.
      tool_discovery_interval = "0s"
      health_check_interval   = "0s"

      mcpServers = [
        for u in upstreams : {
          name        = u.name
          protocol    = "stdio"
          command     = u.command[0]
          args        = slice(u.command, 1, length(u.command))
          env         = u.env
          enabled     = true
          quarantined = false
        }
      ]
    })
  }
}

mcp {
  endpoint = "${base}/mcp"
  headers  = { X-API-Key = token }
}

# It reports that it is ready before its servers are connected, and lists tools before
# a search can find them. So both are checked.
ready {
  path      = "/api/v1/tools"
  headers   = { X-API-Key = token }
  done      = length(answer.data.tools) >= expected
  progress  = "it lists ${length(answer.data.tools)} of ${expected} tools"
  find_each = true
}

tools {
  path        = "/api/v1/tools"
  headers     = { X-API-Key = token }
  items       = answer.data.tools
  server      = item.server_name
  name        = item.name
  description = item.description
  schema      = item.schema

  # It keeps only the parts of a schema that its own type for schemas has.
  schema_drops = ["$schema", "description", "title"]
  schema_adds  = { required = [], properties = {} }
}

search "rest" {
  path    = "/api/v1/index/search"
  params  = { q = query, limit = limit }
  headers = { X-API-Key = token }
  items   = answer.data.results
  server  = item.tool.server_name
  name    = item.tool.name
  score   = item.score
}

search "mcp" {
  call      = "retrieve_tools"
  arguments = { query = query, limit = limit }
  items     = answer.tools
  id        = try(item.name, item.id)
  score     = item.score
}

stop {
  signal = "TERM"
  grace  = "10s"
}

# Its four hard checks, which decide on automatic quarantine: hidden Unicode, shadowing,
# decoded payloads and injection phrases. The live scanner has three soft checks and a
# bundle of signatures beside them, which this detector does not run. The program reads a labelled
# corpus and prints counts. For a corpus of one tool the count is the verdict. It gets
# the same label for every tool, so it does not know the real label. It exits with
# status 4 because the corpus has no negatives.
detector "mcpproxy-hard-checks" {
  binary  = "scan-eval"
  command = [binary, "--gate", "--corpus", "${home}/corpus.json"]
  exits   = [0, 4]
  file "corpus.json" {
    content = jsonencode({
      version = "one"
      entries = [{
        id         = "one"
        label      = "malicious"
        category   = "phrase_injection"
        server     = try(tool.server, "server")
        tool       = { for k in ["name", "description", "input_schema", "output_schema"] : k => tool[k] if can(tool[k]) }
        peers      = [for p in peers : {
          server = p.server
          tool   = { for k in ["name", "description", "input_schema"] : k => p[k] if can(p[k]) }
        }]
        provenance = { source = "touchstone", license = "MIT" }
      }]
    })
  }
  flagged = answer.gated_detected > 0
}

# Its detector of secrets and sensitive paths, which only reads descriptions.
detector "mcpproxy-sensitive" {
  binary  = "scan-eval"
  command = [binary, "--corpus", "${home}/corpus.json"]
  file "corpus.json" {
    content = jsonencode({
      version = "one"
      entries = [{
        id          = "one"
        description = tool.description
        label       = "malicious"
        category    = "tool_poisoning"
        provenance  = { source = "touchstone", license = "MIT" }
      }]
    })
  }
  flagged = answer.entries[0].verdicts[0].flagged
  signals = [for d in answer.entries[0].verdicts[0].detections : d.type]
}
