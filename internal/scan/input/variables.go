package input

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// expanded returns the server with its variables expanded, as its client does
// before starting it: ${env:NAME} and ${NAME}, ${NAME:-default}, ${userHome},
// ${workspaceFolder} and, in Gemini's settings, $NAME. A variable without a
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
		for _, v := range braced.FindAllString(text, -1) {
			if strings.HasPrefix(v, "${input:") {
				return v
			}
		}
	}

	return ""
}

type expander struct {
	server Server
	err    error
}

var (
	braced = regexp.MustCompile(`\$\{([^{}]*)\}`)
	bare   = regexp.MustCompile(`\$([A-Za-z_][A-Za-z0-9_]*)`)
	envVar = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

func (e *expander) texts(m map[string]string) map[string]string {
	m = maps.Clone(m)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		m[name] = e.text(m[name])
	}
	return m
}

func (e *expander) text(s string) string {
	s = braced.ReplaceAllStringFunc(s, func(v string) string { return e.variable(v, v[2:len(v)-1]) })
	if clientOf(e.server.Place.File) == clientOf(".gemini/settings.json") {
		s = bare.ReplaceAllStringFunc(s, func(v string) string { return e.variable(v, v[1:]) })
	}
	return s
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
	case "pathSeparator", "/":
		return string(filepath.Separator)
	}

	if envVar.MatchString(name) {
		if v, ok := os.LookupEnv(name); ok {
			return v
		}
	}

	if hasFallback {
		return fallback
	}

	if e.err == nil {
		e.err = fmt.Errorf("its entry needs the variable %s, which has no value here", whole)
	}

	return whole
}
