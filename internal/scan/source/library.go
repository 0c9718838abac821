package source

import (
	"slices"
	"strings"
)

// Libraries say what a server is, and have nothing that a definition would not say itself.

// sdks are the beginnings of the modules of libraries for MCP servers, by language.
var sdks = map[language][]string{
	inGo: {"github.com/mark3labs/mcp-go/server", "github.com/mark3labs/mcp-go/mcp",
		"github.com/modelcontextprotocol/go-sdk",
		"github.com/metoro-io/mcp-golang", "github.com/ThinkInAIXYZ/go-mcp", "github.com/strowk/foxy-contexts"},
	inPython: {"mcp.server", "mcp.types", "mcp", "fastmcp", "mcp_use.server", "fastapi_mcp"},
	inScript: {"@modelcontextprotocol/sdk", "@modelcontextprotocol/server",
		"@modelcontextprotocol/ext-apps/server", "fastmcp",
		"mcp-framework", "mcp-handler", "@vercel/mcp-adapter", "@rekog/mcp-nest", "@mastra/mcp", "xmcp", "mcp-lite",
		"muppet"},
}

// clients are the beginnings of the modules for clients in the same libraries.
var clients = []string{"mcp.client", "mcp.ClientSession", "mcp.ClientSessionGroup", "mcp.StdioServerParameters",
	"mcp.stdio_client", "fastmcp.client", "@modelcontextprotocol/sdk/client", "@modelcontextprotocol/client",
	"github.com/mark3labs/mcp-go/client"}

func within(module string, list []string) bool {
	return slices.ContainsFunc(list, func(m string) bool {
		rest, ok := strings.CutPrefix(module, m)
		return ok && (rest == "" || rest[0] == '/' || rest[0] == '.')
	})
}

// sdk returns the library for MCP servers that a file imports, or "".
func (f *file) sdk() string {
	for _, module := range f.imports {
		if within(module, sdks[f.language]) && !within(module, clients) {
			return module
		}
	}
	return ""
}

// plain are modules whose functions and types describe nothing by themselves: those of the
// languages, and libraries for schemas.
var plain = map[language][]string{
	inPython: {"typing", "typing_extensions", "pydantic", "pydantic_core", "annotated_types",
		"collections", "datetime", "enum",
		"pathlib", "uuid", "decimal", "abc", "dataclasses", "re", "os", "sys", "json", "logging", "types", "functools",
		"textwrap", "inspect", "asyncio", "contextlib", "builtins", "numbers", "ipaddress", "attrs",
		"attr", "starlette",
		"loguru", "http", "time", "math", "io", "tempfile", "itertools", "operator", "string", "random", "zoneinfo"},
	inScript: {"zod", "zod-to-json-schema", "valibot", "@sinclair/typebox", "typebox", "arktype",
		"effect", "yup", "joi", "dedent",
		"ts-dedent", "outdent", "common-tags", "superstruct", "runtypes", "ajv", "class-validator"},
	inGo: {"github.com/google/jsonschema-go", "github.com/invopop/jsonschema"},
}

// library reports whether what an import names is a library that describes nothing by itself.
func (p *project) library(n *node) bool {
	f := n.file
	if within(n.module, plain[f.language]) || within(n.module, sdks[f.language]) || within(n.module, clients) ||
		strings.HasPrefix(n.module, "node:") {
		return true
	}
	switch f.language {
	case inGo:
		first, _, _ := strings.Cut(n.module, "/")
		return n.text != "embed" && (!strings.Contains(first, ".") || p.known(n))
	case inPython:
		return strings.HasPrefix(n.module, "mcp.")
	}
	return n.text == "" && p.known(n)
}
