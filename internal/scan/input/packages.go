package input

import (
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"golang.org/x/mod/modfile"

	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// manifests are the files that name a package, with the functions that read the name.
var manifests = []struct {
	file string
	name func(text []byte) string
}{
	{"go.mod", func(text []byte) string {
		name := modfile.ModulePath(text)
		if base := path.Base(name); len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" {
			name = path.Dir(name) // the major version
		}
		return path.Base("/" + name)
	}},
	{"package.json", func(text []byte) string {
		var p struct{ Name string }
		_ = json.Unmarshal(text, &p) // what is no manifest names nothing
		return p.Name
	}},
	{"pyproject.toml", func(text []byte) string {
		var p struct {
			Project struct{ Name string }
			Tool    struct{ Poetry struct{ Name string } }
		}
		_ = toml.Unmarshal(text, &p)
		if p.Project.Name != "" {
			return p.Project.Name
		}
		return p.Tool.Poetry.Name
	}},
}

// maxManifest is the size in bytes above which a manifest is not read.
const maxManifest = 1 << 20

// packages finds the names of the packages of a directory. The files of a package are the
// source of one server.
type packages struct {
	root string
	of   map[string]string // of each directory that was looked at
}

// nameOf returns the name of the package of a file, by the nearest manifest above it within
// the directory, or "".
func (p *packages) nameOf(ctx context.Context, file string) string {
	return p.above(ctx, filepath.Dir(file))
}

func (p *packages) above(ctx context.Context, dir string) string {
	if name, ok := p.of[dir]; ok {
		return name
	}

	name := ""
	for _, m := range manifests {
		text, err := readlimit.File(ctx, filepath.Join(dir, m.file), maxManifest)
		if err != nil {
			continue
		}

		if name = strings.TrimSpace(m.name(text)); name != "" && name != "/" {
			break
		}

		name = ""
	}

	if name == "" && dir != filepath.Clean(p.root) && dir != "." && dir != filepath.Dir(dir) {
		name = p.above(ctx, filepath.Dir(dir))
	}

	p.of[dir] = name
	return name
}
