package discover

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// The languages of a program.
const (
	Go     = "go"
	Node   = "node"
	Python = "python"
	Other  = "other"
)

// Program is a program in a directory.
type Program struct {
	Dir      string
	Language string
	// Entry is the file that Command starts, relative to Dir; for Go, the file that the build writes.
	Entry string
	// Build is the command that prepares the program in a copy of Dir; empty for none.
	Build []string
	// Command starts the program without arguments. {binary} stands for Entry.
	Command []string
	// Env is what the program needs in its environment. {binary} and {home} are replaced.
	Env  map[string]string
	text string // the source
}

// ErrNone is the error of Detect for a directory without a program that speaks MCP.
var ErrNone = errors.New("no program that speaks MCP")

// speaksMCP matches source of a program that serves MCP, with a library or without.
var speaksMCP = lazyregexp.New(`tools/(list|call)|modelcontextprotocol|\bFastMCP\b|\bMcpServer\b|mcp-go|from mcp\b|import mcp\b`)

// Detect returns the program in dir: a module of Go, a package of Node, or scripts.
func Detect(dir string) (*Program, error) {
	has := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}

	var tried []func(string) (*Program, error)
	if has("go.mod") {
		tried = append(tried, detectGo)
	}

	if has("package.json") {
		tried = append(tried, detectNode)
	}

	tried = append(tried, detectPython)
	if !has("package.json") {
		tried = append(tried, detectNode)
	}

	for _, detect := range tried {
		if p, err := detect(dir); !errors.Is(err, ErrNone) {
			return p, err
		}
	}

	return nil, ErrNone
}

// skipped are directories whose files are not the program's own.
var skipped = []string{"node_modules", "venv", ".venv", ".git", "__pycache__", "vendor", "testdata", "test", "tests"}

// maxSource limits the source that is read, in bytes.
const maxSource = 4 << 20

// sources reads the files below dir with one of the suffixes, at most three directories deep.
func sources(dir string, suffixes ...string) (map[string]string, error) {
	files, size := map[string]string{}, int64(0)
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // unreadable files are no evidence
		}

		below, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}

		rel := filepath.ToSlash(below)
		if d.IsDir() {
			if rel != "." && (slices.Contains(skipped, d.Name()) || strings.Count(rel, "/") > 2) {
				return fs.SkipDir
			}

			return nil
		}

		info, err := d.Info()
		if err != nil || !d.Type().IsRegular() || !slices.Contains(suffixes, path.Ext(rel)) ||
			strings.HasSuffix(rel, "_test.go") || size+info.Size() > maxSource {
			return nil
		}

		text, err := os.ReadFile(at)
		if err == nil {
			files[rel], size = string(text), size+info.Size()
		}

		return nil
	})
	return files, err
}

// joined returns all files as one text, or ErrNone if none of them speaks MCP.
func joined(files map[string]string) (string, error) {
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		all.WriteString(files[name] + "\n")
	}
	if !speaksMCP().MatchString(all.String()) {
		return "", ErrNone
	}
	return all.String(), nil
}

var mainPackage = lazyregexp.New(`(?m)^package main$`)

func detectGo(dir string) (*Program, error) {
	files, err := sources(dir, ".go")
	if err != nil {
		return nil, err
	}

	text, err := joined(files)
	if err != nil {
		return nil, err
	}

	var mains []string
	for name, source := range files {
		if at := path.Dir(name); mainPackage().MatchString(source) && !slices.Contains(mains, at) {
			mains = append(mains, at)
		}
	}

	switch {
	case slices.Contains(mains, "."):
		mains = []string{"."}
	case len(mains) != 1:
		return nil, ErrNone
	}

	pkg := "."
	if mains[0] != "." {
		pkg = "./" + mains[0]
	}

	return &Program{
		Dir: dir, Language: Go, Entry: "proxy-under-test", Command: []string{"{binary}"}, text: text,
		Build: []string{"go", "build", "-o", "proxy-under-test", pkg},
	}, nil
}

func detectNode(dir string) (*Program, error) {
	files, err := sources(dir, ".js", ".mjs", ".cjs", ".ts", ".mts")
	if err != nil {
		return nil, err
	}

	text, err := joined(files)
	if err != nil {
		return nil, err
	}

	var pkg struct {
		Bin, Main    any
		Scripts      map[string]string
		Dependencies map[string]string
	}
	manifest, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err == nil {
		if err := json.Unmarshal(manifest, &pkg); err != nil {
			return nil, fmt.Errorf("%s is not valid JSON: %w", filepath.Join(dir, "package.json"), err)
		}
	}

	p := &Program{Dir: dir, Language: Node, Command: []string{"node", "{binary}"}, text: text}
	if script := nodeScript().FindStringSubmatch(pkg.Scripts["start"]); script != nil {
		p.Entry = script[1]
	} else if bin := pkg.Bin; bin != nil {
		p.Entry = firstText(bin)
	} else if main, ok := pkg.Main.(string); ok {
		p.Entry = main
	}

	if p.Entry = path.Clean(p.Entry); p.Entry == "." {
		p.Entry = entryAmong(files, "server", "proxy", "index", "main")
	}

	install := "npm install --omit=dev --no-audit --no-fund"
	if _, err := os.Stat(filepath.Join(dir, "package-lock.json")); err == nil {
		install = "npm ci --no-audit --no-fund"
	}

	_, builds := pkg.Scripts["build"]
	switch {
	case builds:
		p.Build = []string{"sh", "-c", strings.Replace(install, "--omit=dev ", "", 1) + " && npm run build"}
	case len(pkg.Dependencies) > 0:
		p.Build = strings.Fields(install)
	}

	if !filepath.IsLocal(p.Entry) || p.Entry == "" {
		return nil, ErrNone
	}

	return p, nil
}

var nodeScript = lazyregexp.New(`\bnode\s+([^\s-]\S*\.[cm]?js)\b`)

// firstText returns a text, or the first value of an object by name.
func firstText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if s, ok := v[name].(string); ok {
				return s
			}
		}
	}
	return ""
}

func detectPython(dir string) (*Program, error) {
	files, err := sources(dir, ".py")
	if err != nil {
		return nil, err
	}

	text, err := joined(files)
	if err != nil {
		return nil, err
	}

	p := &Program{
		Dir: dir, Language: Python, Command: []string{"python3", "{binary}"}, text: text,
		Entry: entryAmong(files, "server", "proxy", "main", "app", "__main__"),
		Env:   map[string]string{"PYTHONDONTWRITEBYTECODE": "1"},
	}
	if _, err := os.Stat(filepath.Join(dir, "requirements.txt")); err == nil {
		// The directory of the program is on the path of modules of the program itself.
		to := path.Dir(p.Entry)
		p.Build = []string{"python3", "-m", "pip", "install", "--quiet", "--no-compile", "--target", to, "-r",
			"requirements.txt"}
	}

	return p, nil
}

// entryAmong returns the file that starts a program of scripts: one that serves MCP itself, highest in the
// tree, by preference with one of the names.
func entryAmong(files map[string]string, names ...string) string {
	best, least := "", 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		cost := 100 * strings.Count(name, "/")
		if i := slices.Index(names, strings.TrimSuffix(path.Base(name), path.Ext(name))); i >= 0 {
			cost += i
		} else {
			cost += len(names)
		}

		if !speaksMCP().MatchString(files[name]) {
			cost += 1000
		}

		if best == "" || cost < least {
			best, least = name, cost
		}
	}

	return best
}

// Title is the name of the language for people.
func (p *Program) Title() string {
	return map[string]string{Go: "Go", Node: "JavaScript", Python: "Python", Other: "another language"}[p.Language]
}

// Main is what starts the program, for people.
func (p *Program) Main() string {
	if p.Language == Go {
		return "package " + p.Build[len(p.Build)-1]
	}
	return p.Entry
}

// Needs lists the programs that the proxy and its build need.
func (p *Program) Needs() []string {
	switch p.Language {
	case Go:
		return []string{"go"}
	case Node:
		if len(p.Build) > 0 {
			return []string{"node", "npm"}
		}
		return []string{"node"}
	case Python:
		return []string{"python3"}
	}
	return nil
}

// Excluded lists the files in the directory that are not part of the program, as patterns.
func (p *Program) Excluded() []string {
	list := []string{".github/**", ".gitlab-ci.yml"}
	switch p.Language {
	case Node:
		if len(p.Build) > 0 {
			list = append(list, "node_modules/**")
		}
	case Python:
		list = append(list, "**/__pycache__/**", ".venv/**", "venv/**")
	}
	return list
}
