package discover

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclwrite"
)

// describe returns an adapter for a program that is started and searched in a way.
func describe(name string, p *Program, s Start, search string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# How touchstone builds, starts and searches this proxy: docs/reference/adapters.md.\nname = %q\n"+
		"about = \"The proxy in this repository, over %s.\"\n\n", name, transportName(s.Transport))
	buildBlock(&b, p)
	fmt.Fprintf(&b, "start {\ncommand = [%s]\n", words(p.placed(s.Command)))
	if len(s.Env) > 0 {
		b.WriteString("env = {\n")
		for _, name := range slices.Sorted(maps.Keys(s.Env)) {
			fmt.Fprintf(&b, "%s = %s\n", name, expression(p.placed([]string{s.Env[name]})[0]))
		}

		b.WriteString("}\n")
	}

	fmt.Fprintf(&b, "file %q {\ncontent = jsonencode({ %s })\n}\n}\n\n", s.File, servers(s.Format))
	fmt.Fprintf(&b, "mcp {\ntransport = %q\n", s.Transport)
	if s.Transport != Stdio {
		fmt.Fprintf(&b, "endpoint = \"${base}%s\"\n", s.Endpoint)
	}

	b.WriteString("}\n\n" + search)
	text := strings.ReplaceAll(b.String(), "{config}", "${home}/"+s.File)
	return hclwrite.Format([]byte(text))
}

// buildBlock describes how the program is built. A program of scripts keeps its source.
func buildBlock(b *strings.Builder, p *Program) {
	if p.Entry == "" {
		return
	}

	b.WriteString("build {\n")
	if p.scripts() {
		b.WriteString("keep = [\".\"]\n")
	} else {
		fmt.Fprintf(b, "binary = %q\n", p.Entry)
	}

	if len(p.Build) > 0 {
		fmt.Fprintf(b, "command = [%s]\n", words(p.Build))
	}

	b.WriteString("}\n\n")
}

// scripts reports whether the program is run by an interpreter.
func (p *Program) scripts() bool { return p.Language != Go }

// placed replaces {binary} by the place of a script below the kept files.
func (p *Program) placed(list []string) []string {
	if !p.scripts() {
		return list
	}
	placed := make([]string, len(list))
	for i, w := range list {
		placed[i] = strings.ReplaceAll(w, "{binary}", "{kept}/"+p.Entry)
	}
	return placed
}

func transportName(transport string) string {
	if transport == Stdio {
		return Stdio
	}
	return "HTTP"
}

// servers returns the expression of the servers in a configuration.
func servers(format string) string {
	if format == formatNative {
		return "upstreams = [for u in upstreams : { name = u.name, command = u.command }]"
	}
	return format + " = { for u in upstreams : u.name => { command = u.command[0], " +
		"args = slice(u.command, 1, length(u.command)) } }"
}

// searchBlock describes the search by a tool.
func searchBlock(t SearchTool, m Mapping) string {
	arguments := hclKey(t.Query) + " = query"
	if t.Limit != "" {
		arguments += ", " + hclKey(t.Limit) + " = limit"
	}

	lines := []string{fmt.Sprintf("call = %q", t.Name), "arguments = { " + arguments + " }", "items = " + m.Items}
	if m.ID != "" {
		lines = append(lines, "id = "+m.ID)
	} else {
		lines = append(lines, "server = "+m.Server, "name = "+m.ToolOf)
	}

	return "search \"mcp\" {\n" + strings.Join(lines, "\n") + "\n}\n"
}

func hclKey(name string) string {
	if identifier().MatchString(name) {
		return name
	}
	return fmt.Sprintf("%q", name)
}

// words returns the elements of a list of words with placeholders.
func words(list []string) string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = expression(w)
	}
	return strings.Join(out, ", ")
}

// expression returns a text with placeholders as an expression of an adapter.
func expression(text string) string {
	names := []string{"binary", "kept", "listen", "host", "port", "home", "touchstone"}
	for _, name := range names {
		if text == "{"+name+"}" {
			return name
		}
	}

	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "${", "$${", "%{", "%%{").Replace(text)
	for _, name := range names {
		quoted = strings.ReplaceAll(quoted, "{"+name+"}", "${"+name+"}")
	}

	return `"` + quoted + `"`
}
