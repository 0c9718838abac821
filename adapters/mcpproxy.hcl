# mcpproxy-go as its users run it: a configuration file, a data directory, the REST
# search and retrieve_tools. Go builds it from its checkout, without the web interface.
#
#   touchstone gate --var proxy=mcpproxy --var proxy_source=../mcpproxy-go
name  = "mcpproxy"
about = "mcpproxy-go, from a checkout of its source."

option "tools_limit" {
  default = "15"
  about   = "The number of search results if a query has no limit."
}

option "response_mode" {
  default = "full"
  about   = "The detail of each tool in the answer of retrieve_tools: full or compact."
  validation {
    condition     = contains(["full", "compact"], option.response_mode)
    error_message = "Use full or compact."
  }
}

# The mode changes what an answer costs and which tools the proxy itself offers. The
# search is the same in each mode, and REST does not depend on it.
option "routing_mode" {
  default = "retrieve_tools"
  about   = "What the proxy offers over MCP: retrieve_tools or code_execution. Both have the search retrieve_tools."
  validation {
    condition     = option.routing_mode != "direct"
    error_message = "In this mode the proxy offers all tools and has no search, so there is no ranking to score. Measure the adapter all-tools, which does the same."
  }
  validation {
    condition     = contains(["retrieve_tools", "code_execution"], option.routing_mode)
    error_message = "Use retrieve_tools or code_execution."
  }
  validation {
    condition     = option.routing_mode == "retrieve_tools" || option.response_mode == "full"
    error_message = "In this mode mcpproxy-go answers in full whatever response_mode is. Leave one of the two options out."
  }
}

# A profile is a part of the servers, with an index of its own. One of some servers has no
# option: most queries would have no right tool. Measure a corpus of these servers.
option "profile" {
  default = "none"
  about   = "none, or all: MCP clients search a profile of all servers, which has an index of its own."
  validation {
    condition     = contains(["none", "all"], option.profile)
    error_message = "Use none or all. To measure a profile of some servers, measure a corpus of these servers."
  }
  validation {
    condition     = option.profile == "none" || option.routing_mode == "retrieve_tools"
    error_message = "The address of a profile serves the mode retrieve_tools alone. Leave one of the two options out."
  }
}

# Its live scanner is part of the server, in a package that only programs of its own
# module can import. So a program for it is built in the copy of its source. It has the
# tool and its peers judged by the function that the server calls when a tool changes.
build {
  binary  = "mcpproxy"
  command = ["go", "build", "-trimpath", "-o", ".", "./cmd/mcpproxy", "./cmd/scan-eval", "./cmd/touchstone-scanner"]
  env     = { CGO_ENABLED = "0" }
  file "cmd/touchstone-scanner/main.go" {
    content = <<-GO
      // Command touchstone-scanner prints what the live scanner finds in a tool.
      package main

      import (
      	"encoding/json"
      	"fmt"
      	"os"

      	"github.com/mark3labs/mcp-go/mcp"

      	"github.com/smart-mcp-proxy/mcpproxy-go/internal/config"
      	"github.com/smart-mcp-proxy/mcpproxy-go/internal/security/scanner"
      )

      // The proxy keeps only the parts of an input schema that its type has. The scanner
      // sees no others.
      type definition struct {
      	Server       string              `json:"server"`
      	Name         string              `json:"name"`
      	Description  string              `json:"description"`
      	InputSchema  mcp.ToolInputSchema `json:"input_schema"`
      	OutputSchema json.RawMessage     `json:"output_schema"`
      }

      func (d definition) metadata() (*config.ToolMetadata, error) {
      	schema, err := json.Marshal(d.InputSchema)
      	return &config.ToolMetadata{
      		Name: d.Name, ServerName: d.Server, Description: d.Description,
      		ParamsJSON: string(schema), OutputSchemaJSON: string(d.OutputSchema),
      	}, err
      }

      func main() {
      	if err := judge(os.Args[1]); err != nil {
      		fmt.Fprintln(os.Stderr, err)
      		os.Exit(1)
      	}
      }

      func judge(file string) error {
      	text, err := os.ReadFile(file)
      	if err != nil {
      		return err
      	}

      	var request struct {
      		Tool  definition   `json:"tool"`
      		Peers []definition `json:"peers"`
      	}
      	if err := json.Unmarshal(text, &request); err != nil {
      		return err
      	}

      	tool, err := request.Tool.metadata()
      	if err != nil {
      		return err
      	}

      	peers := map[string][]*config.ToolMetadata{}
      	for _, p := range request.Peers {
      		peer, err := p.metadata()
      		if err != nil {
      			return err
      		}

      		peers[p.Server] = append(peers[p.Server], peer)
      	}

      	verdict, findings, complete := scanner.ScanToolMetadataVerdict(
      		tool.ServerName, []*config.ToolMetadata{tool}, peers)
      	if !complete {
      		return fmt.Errorf("the scan is incomplete: a check failed, or the signatures are missing")
      	}

      	signals := []string{}
      	for _, f := range findings {
      		signals = append(signals, "tier:"+f.Tier)
      		signals = append(signals, f.Signals...)
      	}

      	return json.NewEncoder(os.Stdout).Encode(map[string]any{"verdict": verdict, "signals": signals})
      }
    GO
  }
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
      profiles           = option.profile == "none" ? [] : [{ name = "touchstone", servers = upstreams[*].name }]

      # Code execution is off by default, and then the mode offers a tool that only says so.
      routing_mode          = option.routing_mode
      enable_code_execution = option.routing_mode == "code_execution"

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
  endpoint = option.profile == "none" ? "${base}/mcp" : "${base}/mcp/p/touchstone"
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

  # It keeps only the parts of a schema that its own type for schemas has, and calls definitions $defs. It does
  # not change the references to them.
  schema_drops = ["$schema", "description", "title", "definitions", "$defs"]
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

# It cuts answers of more than 20,000 bytes, so that they are no JSON. The tools before the
# cut count, as a model can read them. A search for a tool's name asks for so many results
# that it needs the short form.
search "mcp" {
  call      = "retrieve_tools"
  arguments = { query = query, limit = limit, detail = limit > 20 ? "compact" : null }
  items = try(answer.tools, [
    for m in regexall("\"name\":\"([^\":]+:[^\"]+)\"", regex("(?s)^[{]\"query\":.*", text)) : { name = m[0] }
  ])
  id    = try(item.name, item.id)
  score = try(item.score, 0)

  # A compact result has a signature, and says if it left out a part of the schema.
  describe {
    when      = try(item.lossy, false)
    call      = "describe_tool"
    arguments = { tool_ids = [item.id] }
  }
}

stop {
  signal = "TERM"
  grace  = "10s"
}

# What its live scanner holds back: four hard checks and its bundle of signatures. A
# server with such a finding is "dangerous", and a change of such a tool is not approved
# by itself. It does not compare a tool with its approved definition: any change is a
# matter of the quarantine, which is not a detector.
detector "mcpproxy-scanner" {
  binary  = "touchstone-scanner"
  command = [binary, "${home}/tool.json"]
  file "tool.json" {
    content = jsonencode({ tool = merge({ server = "server" }, tool), peers = peers })
  }
  flagged = answer.verdict == "dangerous"
  signals = answer.signals
}

# All that its live scanner reports, also the warnings, which hold nothing back: those of
# three soft checks, and phrases that a hard check finds quoted or described.
detector "mcpproxy-scanner-warnings" {
  binary  = "touchstone-scanner"
  command = [binary, "${home}/tool.json"]
  file "tool.json" {
    content = jsonencode({ tool = merge({ server = "server" }, tool), peers = peers })
  }
  flagged = answer.verdict != "clean"
  signals = answer.signals
}

# The hard checks as its own gate runs them, without the bundle. The program reads a labelled
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
        id       = "one"
        label    = "malicious"
        category = "phrase_injection"
        server   = try(tool.server, "server")
        tool     = { for k in ["name", "description", "input_schema", "output_schema"] : k => tool[k] if can(tool[k]) }
        peers = [for p in peers : {
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
