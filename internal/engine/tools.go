package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// DefaultPath is the PATH of every stage that does not declare one. It is a constant, so
// that a stage does not depend on the environment of the user.
const DefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// HostTools finds programs on this machine and identifies each by the digest of its file,
// so that a different compiler or shell gives a different key.
type HostTools struct {
	Index *cache.StatIndex
	mu    sync.Mutex
	found map[toolName]Tool
	// sources says what packages were identified for, to identify them again.
	sources map[pipeline.ToolIdentity]packageSource
}

// packageSource are the arguments of HostTools.packages.
type packageSource struct{ name, search, named string }

// toolName is the name of a program and the PATH to search.
type toolName struct{ name, path string }

// Resolve finds argv[0]. A relative path with a slash must be an input of the instance,
// whose content is already in the key. Any other relative path is an error, because the
// key would not contain the content of the file.
func (h *HostTools) Resolve(in *pipeline.Instance) (Tool, error) {
	name := in.Command[0]
	if strings.Contains(name, "/") && !filepath.IsAbs(name) {
		if !amongInputs(in, path.Clean(name)) {
			return Tool{}, fmt.Errorf("program %q is not an input of the stage; declare it as an input and write "+
				"input.NAME, or give its absolute path, or only its name to search it in PATH", name)
		}

		return Tool{ToolIdentity: pipeline.ToolIdentity{Name: name}, Path: name}, nil
	}

	search := searchPath(in)
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, ok := h.found[toolName{name, search}]; ok {
		return t, nil
	}

	named, file, err := lookPath(name, search)
	if err != nil {
		return Tool{}, err
	}

	d, _, _, err := h.Index.File(file)
	if err != nil {
		return Tool{}, err
	}

	t := Tool{ToolIdentity: pipeline.ToolIdentity{Name: name, Digest: d}, Path: file, Named: named}
	if t.Packages, err = h.packages(name, search, named, file); err != nil {
		return Tool{}, err
	}

	if h.sources == nil {
		h.sources = map[pipeline.ToolIdentity]packageSource{}
	}

	if t.Packages.Name != "" {
		h.sources[t.Packages] = packageSource{name, search, named}
	}

	if h.found == nil {
		h.found = map[toolName]Tool{}
	}

	h.found[toolName{name, search}] = t
	return t, nil
}

// searchPath returns the PATH of an instance.
func searchPath(in *pipeline.Instance) string {
	search := DefaultPath
	for _, v := range in.Env {
		if v.Name == "PATH" {
			search = v.Value
		}
	}
	return search
}

// Check returns an error if a program no longer has its identity.
func (h *HostTools) Check(t Tool) error {
	if !filepath.IsAbs(t.Path) {
		return nil // an input, which was compared with the key
	}
	d, _, _, err := h.Index.File(t.Path)
	if err == nil && d != t.Digest {
		err = ReplacedError(t)
	}

	if err != nil || t.Packages.Name == "" {
		return err
	}

	h.mu.Lock()
	from := h.sources[t.Packages]
	h.mu.Unlock()
	now, err := h.packages(from.name, from.search, from.named, t.Path)
	if err == nil && now != t.Packages {
		err = fmt.Errorf("the %s changed during the run; run again", t.Packages.Name)
	}
	return err
}

// ReplacedError returns the error for a program that was replaced during a run.
func ReplacedError(t Tool) error {
	return fmt.Errorf("the program %s was replaced during the run; run again", t.Path)
}

// amongInputs reports whether a path is an input or inside one.
func amongInputs(in *pipeline.Instance, p string) bool {
	for i := range in.Inputs {
		if at := in.Inputs[i].Path; p == at || strings.HasPrefix(p, at+"/") {
			return true
		}
	}
	return false
}

// lookPath is like exec.LookPath, but searches a given PATH and resolves links, because
// the stat index only supports regular files. named is the path before that.
func lookPath(name, path string) (named, resolved string, err error) {
	candidates := []string{name}
	if !filepath.IsAbs(name) {
		candidates = nil
		for _, dir := range filepath.SplitList(path) {
			if filepath.IsAbs(dir) {
				candidates = append(candidates, filepath.Join(dir, name))
			}
		}
	}

	for _, c := range candidates {
		file, err := filepath.EvalSymlinks(c)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue
		}

		if err != nil {
			return "", "", err
		}

		if st, err := os.Stat(file); err == nil && st.Mode().IsRegular() && st.Mode()&0o111 != 0 {
			return c, file, nil
		}
	}

	if filepath.IsAbs(name) {
		return "", "",
			fmt.Errorf("program %q is not an executable file on this machine; install it or correct its path",
				name)
	}

	return "", "", fmt.Errorf("program %q is not in %s; install it, or declare its PATH in the stage's env", name, path)
}
