package refreshcorpus

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// lockFile is a lock file. Any lock file is pinned by its digest; only the
// format of npm is parsed.
type lockFile struct {
	name   string
	sha256 string
	npm    bool
	// packages maps the name of an installed package to its version and digest.
	packages map[string]lockedPackage
}

type lockedPackage struct {
	Version   string `json:"version"`
	Integrity string `json:"integrity"`
}

func readLock(path string) (*lockFile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the lock file: %w; commit it beside upstreams.hcl", err)
	}
	return parseLock(filepath.Base(path), text)
}

// parseLock parses the lock file with the given name.
func parseLock(name string, text []byte) (*lockFile, error) {
	sum := sha256.Sum256(text)
	l := &lockFile{name: name, sha256: hex.EncodeToString(sum[:])}
	if name != "package-lock.json" && name != "npm-shrinkwrap.json" {
		return l, nil
	}

	var npm struct {
		LockfileVersion int                      `json:"lockfileVersion"`
		Packages        map[string]lockedPackage `json:"packages"`
	}
	if err := json.Unmarshal(text, &npm); err != nil {
		return nil, fmt.Errorf("%s: %w; create it again with npm install --package-lock-only", name, err)
	}

	if npm.LockfileVersion < 2 {
		return nil, fmt.Errorf("%s has lockfileVersion %d, but 2 or later is needed; create it again with npm 7 or "+
			"later", name, npm.LockfileVersion)
	}

	l.npm, l.packages = true, npm.Packages
	return l, nil
}

// pinned checks that the lock file pins the package of up to the version of up.
func (l *lockFile) pinned(up *upstreamBlock) (lockedPackage, error) {
	if !l.npm {
		return lockedPackage{}, nil
	}

	p, ok := l.packages["node_modules/"+up.Package]
	switch {
	case !ok:
		return p, fmt.Errorf("upstream %q: %s has no package %q; add it there, or correct package", up.Name, l.name,
			up.Package)
	case p.Version != up.Version:
		return p, fmt.Errorf("upstream %q is pinned to version %s, but %s has version %s of %s; make the two agree",
			up.Name, up.Version, l.name, p.Version, up.Package)
	case p.Integrity == "":
		return p, fmt.Errorf("upstream %q: %s has no integrity for %s, so two installations may differ; create the "+
			"lock file again", up.Name, l.name, up.Package)
	}

	return p, nil
}
