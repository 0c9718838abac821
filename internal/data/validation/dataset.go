package validation

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/touchstone-eval/touchstone/contracts"
)

// dataset is the content of one file, and the problems found in it so far.
type dataset[T any] struct {
	kind, path string
	data       []byte
	value      T
	sha256     string
	problems   []contracts.Problem
	// fromSchema holds the places that the schema refused. A second problem at
	// one of them would only repeat the first.
	fromSchema map[string]bool
	// goodSchemas holds the texts of argument schemas, or other schemas, that were
	// found to be right. Tools of generated servers often share theirs.
	goodSchemas [2]map[string]bool
}

// load reads a dataset. It returns an error only if the file cannot be read;
// invalid content goes to problems.
func load[T any](kind, path string) (*dataset[T], error) {
	data, err := contracts.ReadBytes(path)
	d := &dataset[T]{kind: kind, path: path, fromSchema: make(map[string]bool)}
	var fe *contracts.FileError
	if errors.As(err, &fe) {
		d.problems = fe.Problems
		return d, nil
	}

	if err != nil {
		return nil, fmt.Errorf("%s dataset: %w", kind, err)
	}

	sum := sha256.Sum256(data)
	d.data, d.sha256 = data, hex.EncodeToString(sum[:])
	d.value, err = contracts.Decode[T](path, data)
	if errors.As(err, &fe) {
		d.problems = fe.Problems
		for _, p := range fe.Problems {
			d.fromSchema[p.Pointer] = true
		}

		return d, nil
	}

	return d, err
}

// refuse adds a problem at a place of the file.
func (d *dataset[T]) refuse(pointer, entry, message, remedy string) {
	if d.fromSchema[pointer] {
		return
	}
	d.problems = append(d.problems, contracts.Problem{Pointer: pointer, Entry: entry, Message: message, Remedy: remedy})
}

// err returns all problems with their places, or nil if there are none.
func (d *dataset[T]) err() *contracts.FileError {
	if len(d.problems) == 0 {
		return nil
	}

	if d.data == nil {
		return &contracts.FileError{Path: d.path, Problems: d.problems}
	}

	var placed, open []contracts.Problem
	for _, p := range d.problems {
		if p.Line > 0 {
			placed = append(placed, p)
		} else {
			open = append(open, p)
		}
	}

	e := contracts.Locate(d.path, d.data, open)
	e.Problems = mergeByPlace(placed, e.Problems)
	return e
}

// mergeByPlace merges two lists that are sorted by place in the file.
func mergeByPlace(a, b []contracts.Problem) []contracts.Problem {
	out := make([]contracts.Problem, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if b[0].Line < a[0].Line || b[0].Line == a[0].Line && b[0].Column < a[0].Column {
			out, b = append(out, b[0]), b[1:]
		} else {
			out, a = append(out, a[0]), a[1:]
		}
	}
	return append(append(out, a...), b...)
}

// InvalidError reports refused datasets, with one FileError for each file.
type InvalidError struct{ Files []*contracts.FileError }

// ExitCode returns the process's exit code for refused data.
func (*InvalidError) ExitCode() int { return 4 }

func (e *InvalidError) Error() string {
	var lines []string
	problems := 0
	for _, f := range e.Files {
		lines = append(lines, f.Error())
		problems += len(f.Problems)
	}
	if problems > 1 {
		lines = append(lines, fmt.Sprintf("%d problems in %d of the datasets", problems, len(e.Files)))
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the errors of the files.
func (e *InvalidError) Unwrap() []error {
	var errs []error
	for _, f := range e.Files {
		errs = append(errs, f)
	}
	return errs
}

// listed formats the first of many ids: "a, b, c and 4 more".
func listed(ids []string) string {
	const few = 3
	if len(ids) <= few {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:few], ", "), len(ids)-few)
}

// checkID refuses the id of element i of a list if an earlier element, a query for
// example, has it. first holds the places of the ids so far.
func checkID[T any](d *dataset[T], at, what, id string, i int, first map[string]int) {
	if j, twice := first[id]; twice && id != "" {
		d.refuse(at+"/id", id, fmt.Sprintf("duplicate id, also %s number %d", what, j+1),
			fmt.Sprintf("give each %s a unique id", what))
		return
	}
	first[id] = i
}

// checkFileName refuses a version that differs from the one in the file's name:
// cases_v2.json must hold the version v2.
func checkFileName[T any](d *dataset[T], version string) {
	name, isJSON := strings.CutSuffix(filepath.Base(d.path), ".json")
	said, named := strings.CutPrefix(name, d.kind+"_")
	said = strings.TrimPrefix(said, "corpus_") // as in security_corpus_v1.json
	if isJSON && named && said != "" && version != "" && said != version {
		d.refuse("/version", "",
			fmt.Sprintf("the version is %.128q, but the file is named %.128s", version, filepath.Base(d.path)),
			fmt.Sprintf("rename the file to %s_%.128s.json, or correct the version", d.kind, version))
	}
}
