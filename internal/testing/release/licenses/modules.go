package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// targets are the systems and processors of the releases, as in .goreleaser.yaml.
var targets = []string{
	"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64",
}

// dependency is a module, or the Go standard library.
type dependency struct {
	Path, Version, Dir string
}

// linked returns the modules of others whose packages a program contains on any target,
// ordered by path.
func linked(packages []string) ([]dependency, error) {
	found := map[string]dependency{}
	for _, target := range targets {
		goos, goarch, _ := strings.Cut(target, "/")
		cmd := exec.Command("go", append([]string{"list", "-deps", "-json=Module,Standard"}, packages...)...)
		cmd.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		text, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("listing the packages of %s: %w\n%s", target, err, stderr.String())
		}

		if err := addModules(found, text); err != nil {
			return nil, err
		}
	}

	std, err := exec.Command("go", "env", "GOVERSION", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("finding the standard library: %w", err)
	}

	version, root, _ := strings.Cut(strings.TrimSpace(string(std)), "\n")
	list := []dependency{{Path: "std", Version: version, Dir: root}}
	for _, m := range found {
		list = append(list, m)
	}

	slices.SortFunc(list, func(a, b dependency) int { return strings.Compare(a.Path, b.Path) })
	return list, nil
}

// addModules adds the modules of the packages that go list printed.
func addModules(found map[string]dependency, listed []byte) error {
	for dec := json.NewDecoder(bytes.NewReader(listed)); ; {
		var p struct {
			Standard bool
			Module   *struct {
				dependency
				Main    bool
				Replace *dependency
			}
		}
		err := dec.Decode(&p)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading the output of go list: %w", err)
		case p.Standard || p.Module == nil || p.Module.Main:
			continue
		case p.Module.Replace != nil:
			return fmt.Errorf("%s is replaced: go install refuses a module with replace directives", p.Module.Path)
		}

		found[p.Module.Path] = p.Module.dependency
	}
}
