package input

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// expanded returns the server with its variables expanded, as its client does
// before starting it: ${env:NAME} and ${NAME}, ${NAME:-default}, ${userHome},
// ${workspaceFolder} and, in the settings of some clients, $NAME. A default may have variables too. A variable
// without a
// value is an error, and so is one that prompts the user.
func (s Server) expanded() (Server, error) {
	e := expander{server: s}
	s.Command = slices.Clone(s.Command)
	for i, w := range s.Command {
		s.Command[i] = e.text(w)
	}
	s.URL, s.Dir = e.text(s.URL), e.text(s.Dir)
	s.Env, s.Headers = e.texts(s.Env), e.texts(s.Headers)
	return s, e.err
}

// input returns the first variable of the server that its client asks the user for, or
// "".
func (s Server) input() string {
	texts := append(slices.Clone(s.Command), s.URL, s.Dir)
	for _, m := range []map[string]string{s.Env, s.Headers} {
		for _, name := range slices.Sorted(maps.Keys(m)) {
			texts = append(texts, m[name])
		}
	}

	for _, text := range texts {
		found := ""
		expandBraces(text, func(whole, name string) string {
			if found == "" && strings.HasPrefix(name, "input:") {
				found = whole
			}

			return whole
		})
		if found != "" {
			return found
		}
	}

	return ""
}

type expander struct {
	server Server
	err    error
}

var (
	bare   = lazyregexp.New(`\$([A-Za-z_][A-Za-z0-9_]*)`)
	envVar = lazyregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func (e *expander) texts(m map[string]string) map[string]string {
	m = maps.Clone(m)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		m[name] = e.text(m[name])
	}
	return m
}

func (e *expander) text(s string) string {
	s = expandBraces(s, e.variable)
	switch strings.TrimPrefix(clientOf(e.server.Place.File), "the configuration of ") {
	case "Gemini", "Qwen", "Crush":
		s = bare().ReplaceAllStringFunc(s, func(v string) string { return e.variable(v, v[1:]) })
	case "OpenCode":
		s = openCode().ReplaceAllStringFunc(s, func(v string) string { return e.variable(v, v[1:len(v)-1]) })
	}

	return s
}

// openCode matches the variables of OpenCode.
var openCode = lazyregexp.New(`\{env:[A-Za-z_][A-Za-z0-9_]*\}`)

// expandBraces replaces each ${...} of a text, whose braces may hold further ones, by its value. value gets it whole,
// and what is in its braces.
func expandBraces(s string, value func(whole, name string) string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "${")
		out.WriteString(before)
		if !ok {
			return out.String()
		}

		depth, end := 1, -1
		for i := 0; i < len(rest) && end < 0; i++ {
			switch rest[i] {
			case '{':
				depth++
			case '}':
				if depth--; depth == 0 {
					end = i
				}
			}
		}

		if end < 0 { // it is not closed
			out.WriteString("${" + rest)
			return out.String()
		}

		out.WriteString(value("${"+rest[:end+1], rest[:end]))
		s = rest[end+1:]
	}
}

func (e *expander) variable(whole, name string) string {
	name, fallback, hasFallback := strings.Cut(name, ":-")
	name = strings.TrimPrefix(name, "env:")
	switch name {
	case "userHome":
		if home, err := os.UserHomeDir(); err == nil {
			return home
		}
	case "workspaceFolder":
		dir := filepath.Dir(e.server.Place.File)
		if b := filepath.Base(dir); b == ".vscode" || b == ".cursor" {
			dir = filepath.Dir(dir)
		}

		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
	case "CLAUDE_PLUGIN_ROOT":
		dir := filepath.Dir(e.server.Place.File)
		if filepath.Base(dir) == ".claude-plugin" {
			dir = filepath.Dir(dir)
		}

		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
	case "pathSeparator", "/":
		return string(filepath.Separator)
	}

	if envVar().MatchString(name) {
		if v, ok := os.LookupEnv(name); ok {
			return v
		}
	}

	if hasFallback {
		return expandBraces(fallback, e.variable)
	}

	if e.err == nil {
		e.err = fmt.Errorf("its entry needs the variable %s, which has no value here", whole)
	}

	return whole
}
