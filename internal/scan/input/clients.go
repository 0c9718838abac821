package input

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// client is an MCP client with the files in which it keeps its servers. A file begins with ~ for the home of the
// user, @ for the configuration directory of the system, or . for a project. An element of a path may be a pattern,
// or ** for any number of directories.
type client struct {
	Client string
	Files  []string
}

//go:embed clients.json
var clientData []byte

// clients is the table of the known clients, by name.
var clients = sync.OnceValue(func() (list []client) {
	if err := json.Unmarshal(clientData, &list); err != nil {
		panic("clients.json: " + err.Error()) // unreachable: a test reads it
	}
	return list
})

// Clients lists the names of the clients whose configurations are found.
func Clients() []string {
	names := make([]string, len(clients()))
	for i, c := range clients() {
		names[i] = c.Client
	}
	return names
}

// maxPluginDepth bounds the directories that ** stands for.
const maxPluginDepth = 8

// ClientFiles lists the configuration files of clients: those of the user, in
// home and the configuration directory (~/.config or the system's equivalent),
// and those of the project in dir. Of patterns it lists what is there.
func ClientFiles(home, config, dir string) []string {
	roots := map[string]string{"~": home, "@": config, ".": dir}
	var files []string
	for _, c := range clients() {
		for _, f := range c.Files {
			root, rest, _ := strings.Cut(f, "/")
			files = append(files, matching(roots[root], rest)...)
		}
	}
	return files
}

// matching lists the files below a directory that a pattern describes. A path without a pattern need not exist.
func matching(root, pattern string) []string {
	if !strings.Contains(pattern, "*") {
		return []string{filepath.Join(root, filepath.FromSlash(pattern))}
	}

	before, after, deep := strings.Cut(pattern, "**/")
	if !deep {
		files, _ := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern))) // the patterns are valid
		return files
	}

	top := filepath.Join(root, filepath.FromSlash(before))
	var files []string
	_ = filepath.WalkDir(top, func(p string, e fs.DirEntry, err error) error { // what cannot be read has no plugins
		rel, _ := filepath.Rel(top, p)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil:
			return nil
		case e.IsDir() && (slices.Contains(skippedDirs, e.Name()) || strings.Count(rel, "/") >= maxPluginDepth):
			return fs.SkipDir
		case !e.IsDir() && (rel == after || strings.HasSuffix(rel, "/"+after)):
			files = append(files, p)
		}

		return nil
	})
	return files
}

// clientOf returns the name of the client whose configuration is usually at
// this path.
func clientOf(file string) string {
	best, name := 0, "an MCP client"
	file = "/" + filepath.ToSlash(file)
	for _, c := range clients() {
		for _, f := range c.Files {
			_, rest, _ := strings.Cut(f, "/")
			if i := strings.LastIndex(rest, "**/"); i >= 0 {
				rest = rest[i+len("**/"):]
			}

			if n := strings.Count(rest, "/") + 1; n > best && endsWith(file, rest, n) {
				best, name = n, c.Client
			}
		}
	}

	if best == 0 {
		name = clientOfDirectory(file, name)
	}

	return "the configuration of " + name
}

// endsWith reports whether the last n elements of a path match a pattern.
func endsWith(file, pattern string, n int) bool {
	elements := strings.Split(file, "/")
	if len(elements) < n {
		return false
	}
	ok, _ := path.Match(pattern, strings.Join(elements[len(elements)-n:], "/"))
	return ok
}

// clientOfDirectory returns the client in whose directory a file is, as a configuration that was copied, or other.
func clientOfDirectory(file, other string) string {
	dir, base := path.Base(path.Dir(file)), path.Base(file)
	if path.Ext(base) == ".code-workspace" {
		return "VS Code"
	}

	shortest := 0
	for _, c := range clients() {
		for _, f := range c.Files {
			_, rest, _ := strings.Cut(f, "/")
			top, _, nested := strings.Cut(rest, "/")
			n := strings.Count(rest, "/") + 1
			switch {
			case strings.Contains(top, "*"):
			case nested && top == dir && strings.HasPrefix(top, ".") && top != ".config":
				return c.Client
			case path.Base(rest) == base && !slices.Contains(commonNames, base) && (shortest == 0 || n < shortest):
				shortest, other = n, c.Client
			}
		}
	}

	return other
}

// commonNames are the names of files that several clients have.
var commonNames = []string{"mcp.json", "settings.json", "config.json", "config.yaml", "config.toml", "default.json",
	"mcp_settings.json", "plugin.json", "settings.local.json"}

// ReadClients reads the existing ones of the files. It skips settings without
// servers, and records a file that cannot be read as not scanned. If no file
// exists, it returns an error.
func ReadClients(ctx context.Context, files []string) (*Input, error) {
	in := &Input{}
	there := 0
	var read []os.FileInfo
	for _, p := range files {
		st, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}

		there++
		if err == nil && alreadyRead(read, st) {
			continue // the project directory is the user's home
		}

		read = append(read, st)
		one, err := readFile(ctx, p, "")
		var bad *InputError
		switch {
		case err == nil:
			in.add(one)
		case errors.As(err, &bad) && bad.OtherKind:
			in.PassedOver = append(in.PassedOver, PassedOver{Path: filepath.ToSlash(p), Reason: bad.Reason})
		default:
			in.Unscanned = append(in.Unscanned, unread(p, err))
		}
	}

	if there == 0 {
		return nil, &InputError{
			Place: Place{File: "the configurations of clients"},
			Reason: "there is none of " + strings.Join(Clients(), ", ") + " at its usual place, such as " +
				strings.Join(files[:min(len(files), 2)], " or "),
			Remedy: "name the file of your client",
		}
	}

	in.sort()
	return in, nil
}

func alreadyRead(read []os.FileInfo, st os.FileInfo) bool {
	for _, r := range read {
		if os.SameFile(r, st) {
			return true
		}
	}
	return false
}

// unread records a file that could not be read.
func unread(p string, err error) Unscanned {
	u := Unscanned{Place: Place{File: p}, Reason: err.Error(), Remedy: "correct it, or scan without it"}
	var bad *InputError
	if errors.As(err, &bad) {
		u.Place, u.Reason, u.Remedy = bad.Place, bad.Reason, bad.Remedy
	}
	return u
}
