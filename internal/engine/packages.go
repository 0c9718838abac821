package engine

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/cache"
	"github.com/touchstone-eval/touchstone/internal/engine/reads"
	"github.com/touchstone-eval/touchstone/pipeline"
)

// An interpreter reads packages that no stage declares: the site-packages of a virtual environment, the node_modules
// beside a script. The sandbox lets a stage read what was installed together with its program, so that is a part of
// the key, unless it belongs to the system. The system's packages are like its programs: a warning names them, see
// Unkeyed.

// maxPackageFiles is the largest number of package files that a key covers. Each one costs a system call in each run.
// Of
// a larger installation the key covers nothing, and the warning of Unkeyed says so.
const maxPackageFiles = 20_000

// packagePatterns are the directories of packages below a prefix such as that of a virtual environment.
var packagePatterns = []string{
	"lib/python*/site-packages", "lib64/python*/site-packages", "lib/python*/dist-packages", "Lib/site-packages",
	"lib/node_modules", "lib/perl5", "lib/ruby", "pyvenv.cfg",
}

// systemPrefixes are those of the system, which is the same for all stages of this machine.
var systemPrefixes = []string{"/", "/usr", "/usr/local", "/opt", "/snap", "/nix", "/gnu"}

// packages identifies the packages that a program at one of the given paths reads, and those beside the other programs
// in search, which is a PATH. The result is zero if there are none outside of the system, or too many.
func (h *HostTools) packages(name, search string, files ...string) (pipeline.ToolIdentity, error) {
	dirs := packageDirs(search, files)
	var found []packageFile
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case e.IsDir() && e.Name() == reads.Compiled:
				return filepath.SkipDir
			case e.IsDir() || strings.HasSuffix(path, ".pyc"):
				return nil // compiled files contain times, and follow from the others
			case len(found) == maxPackageFiles:
				return errManyPackages
			}
			found = append(found, packageFile{dir, path, e.Type()})
			return nil
		})
		if errors.Is(err, errManyPackages) {
			return pipeline.ToolIdentity{}, nil
		}

		if err != nil {
			return pipeline.ToolIdentity{}, fmt.Errorf("the packages of %s: %w", name, err)
		}
	}

	if len(dirs) == 0 {
		return pipeline.ToolIdentity{}, nil
	}

	sum := sha256.New()
	for _, f := range found {
		if err := h.hashPackage(sum, f); err != nil {
			return pipeline.ToolIdentity{}, fmt.Errorf("the packages of %s: %w", name, err)
		}
	}

	return pipeline.ToolIdentity{Name: "packages of " + filepath.Base(name), Digest: cache.Digest(sum.Sum(nil))}, nil
}

var errManyPackages = errors.New("there are too many files")

// packageFile is a file in a directory of packages.
type packageFile struct {
	dir, path string
	kind      fs.FileMode
}

func (h *HostTools) hashPackage(sum io.Writer, f packageFile) error {
	name := filepath.Base(f.dir) + strings.TrimPrefix(f.path, f.dir)
	switch {
	case f.kind&fs.ModeSymlink != 0:
		target, err := os.Readlink(f.path)
		fmt.Fprintf(sum, "%q -> %q\n", name, target)
		return err
	case f.kind.IsRegular():
		d, _, mode, err := h.Index.File(f.path)
		fmt.Fprintf(sum, "%q %d %s\n", name, fileKind(mode), d)
		return err
	}
	return nil
}

// packageDirs lists the directories of packages that are read by a program with one of the given paths, or by another
// one in search, sorted and each once.
func packageDirs(search string, files []string) []string {
	var dirs []string
	add := func(dir string) {
		if !isSystem(dir) && exists(dir) {
			dirs = append(dirs, dir)
		}
	}
	beside := func(bin string) {
		prefix := filepath.Dir(bin)
		if name := filepath.Base(bin); name != "bin" && name != "sbin" && name != "Scripts" || isSystem(prefix) {
			return
		}

		for _, pattern := range packagePatterns {
			found, _ := filepath.Glob(filepath.Join(escapeGlob(prefix), pattern)) // the pattern is well-formed
			for _, dir := range found {
				add(dir)
			}
		}
	}
	for _, file := range files {
		if exists(filepath.Join(filepath.Dir(filepath.Dir(files[0])), "pyvenv.cfg")) && file != files[0] {
			break // a virtual environment does not read the packages of the interpreter that it was made from
		}

		beside(filepath.Dir(file))
		add(filepath.Join(filepath.Dir(file), "node_modules"))
		for up := filepath.Dir(file); up != filepath.Dir(up); up = filepath.Dir(up) {
			if filepath.Base(up) == "node_modules" {
				add(up)
			}
		}
	}

	for _, dir := range filepath.SplitList(search) {
		if filepath.IsAbs(dir) {
			beside(filepath.Clean(dir))
		}
	}

	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// isSystem reports whether a directory belongs to the system, or is in it.
func isSystem(dir string) bool {
	return slices.ContainsFunc(systemPrefixes, func(p string) bool {
		return dir == p || p != "/" && strings.HasPrefix(dir, p+"/")
	})
}

// escapeGlob returns the pattern that only matches a path.
func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // there is no escape
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
