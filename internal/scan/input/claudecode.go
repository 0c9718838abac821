package input

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// refusals are the servers that a user of Claude Code disabled or denied in one file.
type refusals struct {
	file     string
	disabled []string // of any scope, by /mcp
	rejected []string // of .mcp.json
	denied   []value  // rules of deniedMcpServers
}

// DisableRefused disables the servers that the user refused in Claude Code: in the entry
// of the project in ~/.claude.json, or in a settings.json. Where such a file cannot be
// read, nobody knows what it refuses, so it disables all servers that it is about.
func (in *Input) DisableRefused(ctx context.Context, home, dir string) {
	known := map[string][]refusals{}
	for i := range in.Servers {
		s := &in.Servers[i]
		project, shared := s.Project, path.Base(filepath.ToSlash(s.Place.File)) == ".mcp.json"
		switch {
		case s.Client != clientOf(".claude.json"):
			continue
		case shared:
			project = filepath.Dir(s.Place.File)
		case project == "":
			project = dir
		}

		project = absolute(project)
		if known[project] == nil {
			known[project] = in.refusedIn(ctx, home, project)
		}

		for _, r := range known[project] {
			if r.refuses(s, shared) {
				s.Disabled, s.DisabledIn = true, r.file
				break
			}
		}
	}
}

// RemoveOtherProjects removes the servers that Claude Code starts only in another
// project than that of dir.
func (in *Input) RemoveOtherProjects(dir string) {
	here := projectsOf(absolute(dir))
	left := map[string]int{}
	in.Servers = slices.DeleteFunc(in.Servers, func(s Server) bool {
		other := s.Project != "" && !slices.Contains(here, absolute(s.Project))
		if other {
			left[s.Place.File]++
		}

		return other
	})
	for file, n := range left {
		of := "1 server belongs"
		if n > 1 {
			of = fmt.Sprintf("%d servers belong", n)
		}

		in.PassedOver = append(in.PassedOver,
			PassedOver{Path: filepath.ToSlash(file), Reason: of + " to other projects; name the file to see them"})
	}

	in.sort()
}

// refusedIn reads all that is refused in a project.
func (in *Input) refusedIn(ctx context.Context, home, project string) []refusals {
	all := []refusals{}
	add := func(file string, read func([]member) []refusals) {
		members, err := readMembers(ctx, file)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}

		if err != nil {
			in.Unscanned = append(in.Unscanned, Unscanned{
				Place: Place{File: file}, Reason: "it may refuse servers, and cannot be read: " + err.Error(),
				Remedy: "correct it",
			})
			all = append(all, refusals{file: file, disabled: []string{"*"}})
			return
		}

		all = append(all, read(members)...)
	}
	here := projectsOf(project)
	if home != "" {
		file := filepath.Join(home, ".claude.json")
		add(file, func(members []member) (list []refusals) {
			for _, m := range members {
				if m.name != "projects" {
					continue
				}

				for _, p := range m.object() {
					if slices.Contains(here, absolute(p.name)) {
						list = append(list, refusalsOf(file, p.object()))
					}
				}
			}

			return list
		})
	}

	var settings []string
	for _, top := range append(slices.Clone(here), home) {
		if top != "" {
			settings = append(settings, filepath.Join(top, ".claude", "settings.json"),
				filepath.Join(top, ".claude", "settings.local.json"))
		}
	}

	for _, file := range settings {
		add(file, func(members []member) []refusals { return []refusals{refusalsOf(file, members)} })
	}

	return all
}

func readMembers(ctx context.Context, file string) ([]member, error) {
	text, err := readlimit.File(ctx, file, MaxFile)
	if err != nil {
		return nil, err
	}

	values, err := parseAll(text)
	if err != nil {
		return nil, err
	}

	if len(values) != 1 || !values[0].is('{') {
		return nil, errors.New("it is no JSON object")
	}

	return values[0].object(), nil
}

func refusalsOf(file string, members []member) refusals {
	r := refusals{file: file}
	for _, m := range members {
		names := func() (list []string) {
			for _, e := range m.array() {
				if s, ok := e.str(); ok {
					list = append(list, s)
				}
			}

			return list
		}
		switch m.name {
		case "disabledMcpServers":
			r.disabled = append(r.disabled, names()...)
		case "disabledMcpjsonServers":
			r.rejected = append(r.rejected, names()...)
		case "deniedMcpServers":
			r.denied = append(r.denied, m.array()...)
		}
	}

	return r
}

// refuses reports whether a server is refused. shared means that it is one of
// .mcp.json.
func (r *refusals) refuses(s *Server, shared bool) bool {
	if slices.Contains(r.disabled, s.Name) || slices.Contains(r.disabled, "*") || shared &&
		slices.Contains(r.rejected, s.Name) {
		return true
	}

	for _, rule := range r.denied {
		for _, m := range rule.object() {
			text, isText := m.str()
			words, _ := m.strings()
			switch {
			case m.name == "serverName" && isText && text == s.Name,
				m.name == "serverCommand" && len(words) > 0 && slices.Equal(words, s.Command),
				m.name == "serverUrl" && isText && s.URL != "" && matchesPattern(text, s.URL):
				return true
			}
		}
	}

	return false
}

// matchesPattern reports whether text matches a pattern in which * stands for any text.
func matchesPattern(pattern, text string) bool {
	return regexp.MustCompile(`(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`) +
		`$`).MatchString(text)
}

// projectsOf are the names under which Claude Code may list the project of a directory:
// the directory, and the top of its repository.
func projectsOf(dir string) []string {
	list := []string{dir}
	for d := dir; ; d = filepath.Dir(d) {
		if _, err := os.Lstat(filepath.Join(d, ".git")); err == nil {
			return append(list, d)
		}
		if d == filepath.Dir(d) {
			return list
		}
	}
}

// absolute returns the absolute path without links, as far as that is known.
func absolute(p string) string {
	if abs, err := filepath.Abs(p); err == nil {
		p = abs
	}
	if real, err := filepath.EvalSymlinks(p); err == nil {
		p = real
	}
	return p
}
