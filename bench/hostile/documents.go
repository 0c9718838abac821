package hostile

import "strings"

// Documents are texts of tool lists and of client configurations as bytes on a
// wire. Each function returns about size bytes.
var Documents = map[string]func(size int) string{
	"escaped letters":     func(n int) string { return toolsOf(`"description":"` + repeat(`\u5ffd\u7565`, n) + `"`) },
	"escaped quotes":      func(n int) string { return toolsOf(`"description":"` + repeat(`\"`, n) + `"`) },
	"escaped backslashes": func(n int) string { return toolsOf(`"description":"` + repeat(`\\`, n) + `"`) },
	"one description":     func(n int) string { return toolsOf(`"description":"` + repeat(`a`, n) + `"`) },
	"one number":          func(n int) string { return toolsOf(`"inputSchema":{"a":` + repeat(`7`, n) + `}`) },
	"spaces":              func(n int) string { return toolsOf(`"inputSchema":` + repeat(" ", n) + `{}`) },
	"lines": func(n int) string {
		return repeat("\n", n/2) +
			toolsOf(`"inputSchema":`+repeat("\n", n/2)+`{}`)
	},
	"described parameters": func(n int) string {
		return toolsOf(`"inputSchema":` +
			list(n, `{"properties":{`, `"p%d":{"type":"string","description":"The value number %[1]d."}`, `}}`))
	},
	"nested to the limit": func(n int) string {
		return toolsOf(`"inputSchema":` + strings.Repeat(`{"a":`, 190) + list(n, `[`, `"p%d"`, `]`) +
			strings.Repeat("}", 190))
	},
	"nested beyond": func(n int) string {
		return toolsOf(`"inputSchema":` + repeat("[", n/2) +
			repeat("]", n/2))
	},
	"nested, never ended": func(n int) string { return `{"tools":` + repeat("[", n) },
	"brackets":            func(n int) string { return repeat("[]", n) },
	"comments":            func(n int) string { return repeat("/**/", n) + toolsOf(`"description":"x"`) },
	"line comments":       func(n int) string { return repeat("//\n", n) + toolsOf(`"description":"x"`) },
	"open comments":       func(n int) string { return toolsOf(`"description":"x"`) + repeat("/*", n) },
	"commas":              func(n int) string { return `{"tools":[{"name":"t"}` + repeat(",", n) + "]}" },
	"tools": func(n int) string {
		return list(n, `{"tools":[`, `{"name":"t%d","description":"x"}`,
			`]}`)
	},
	"unreadable tools":   func(n int) string { return list(n, `{"tools":[{"name":"t"},`, `{"name":%d}`, `]}`) },
	"tools on lines":     func(n int) string { return list(n, "{\"tools\":[\n", "{\"name\":\"t%d\"}\n", "]}") },
	"repeated fields":    func(n int) string { return list(n, `{"tools":[{"name":"t",`, `"a%d":1`, `}]}`) },
	"fields named twice": func(n int) string { return list(n, `{"tools":[{"name":"t",`, `"name":"t%d"`, `}]}`) },
	"members":            func(n int) string { return list(n, `{`, `"a%d":1`, `}`) },
	"documents":          func(n int) string { return repeat(toolsOf(`"description":"x"`)+"\n", n) },
	"rows": func(n int) string {
		return list(n, "[", `{"server":"s","tool":"t%d","description":"x"}`,
			"]")
	},
	"refusals": func(n int) string {
		return counted(n, `{"jsonrpc":"2.0","id":%d,"error":{"message":"no"}}`+
			"\n")
	},
	"servers":            func(n int) string { return list(n, `{"mcpServers":{`, `"s%d":{"command":"x"}`+"\n", `}}`) },
	"unreadable servers": func(n int) string { return list(n, `{"mcpServers":{`, `"s%d":{}`+"\n", `}}`) },
	"servers, last first": func(n int) string {
		return `{"servers":{` + strings.TrimPrefix(list(n, `{`, `"s%d":{}`+"\n", `}`), "{") + `,"mcpServers":{"a":{}}}`
	},
	"projects": func(n int) string {
		return list(n, `{"projects":{`, `"p%d":{"mcpServers":{"s":{"command":"x"}}}`, `}}`)
	},
	"arguments": func(n int) string { return list(n, `{"mcpServers":{"s":{"command":"x","args":[`, `"a%d"`, `]}}}`) },
	"variables": func(n int) string {
		return `{"mcpServers":{"s":{"command":"x","args":["` + repeat(`${A}`, n) +
			`"]}}}`
	},
	"environment": func(n int) string {
		return list(n, `{"mcpServers":{"s":{"command":"x","env":{`, `"TOKEN%d":"x"`, `}}}}`)
	},
	"invalid, at the end": func(n int) string {
		return repeat("\n", n/2) + `{"tools":[{"description":"` + repeat("é", n/2) + "\xff" + `"}]}`
	},
	"not JSON": func(n int) string { return repeat("x", n) },
	"quotes":   func(n int) string { return repeat(`"`, n) },
	"NUL":      func(n int) string { return strings.Repeat("\x00", n) },
}

func toolsOf(fields string) string { return `{"tools":[{"name":"t",` + fields + `}]}` }
