package contracts

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"

	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
	"github.com/touchstone-eval/touchstone/internal/base/readlimit"
)

// Read reads the file path as a T, one of the types that have a schema. A file
// that does not match the schema gives a *FileError with all its problems.
func Read[T any](path string) (T, error) {
	var zero T
	data, err := ReadBytes(path)
	if err != nil {
		return zero, err
	}
	return Decode[T](path, data)
}

// ReadDigested is Read that also returns the SHA-256 of the file, in hexadecimal digits.
func ReadDigested[T any](path string) (v T, digest string, err error) {
	data, err := ReadBytes(path)
	if err != nil {
		return v, "", err
	}
	v, err = Decode[T](path, data)
	return v, fmt.Sprintf("%x", sha256.Sum256(data)), err
}

// ReadBytes reads a whole file. A file larger than the limit of Decode gives an
// error.
func ReadBytes(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("cannot read %s: it is a directory; name a JSON file", path)
	}

	data, err := readlimit.File(context.Background(), path, maxFile)
	if errors.As(err, new(*readlimit.TooLargeError)) {
		return nil, &FileError{Path: path, Problems: []Problem{{
			Message: fmt.Sprintf("the file is larger than %d MiB", maxFile>>20),
			Remedy:  "split it, or check that it is the file you meant",
		}}}
	}

	if err != nil {
		return nil, fmt.Errorf("cannot read the file: %w; check that it exists and may be read", err)
	}

	return data, nil
}

// maxSecondLook is the size up to which a file with problems is still decoded.
// A larger file gets one pass only.
const maxSecondLook = 32 << 20

// Decode reads data as a T; name stands for the file in errors. Beside a
// *FileError it returns whatever could be decoded, so that a caller can look
// for further problems. If data is not JSON it returns the zero T.
func Decode[T any](name string, data []byte) (T, error) {
	var v T
	schema, err := schemaOf(reflect.TypeFor[T]())
	if err != nil {
		return v, err
	}

	tree, p := parse(data)
	if p.failed != nil {
		if len(data) == 0 {
			p.failed.Message, p.failed.Remedy = "the file is empty", "expected a JSON object: "+schema.Title
		}

		return v, place(name, data, append(p.problems, *p.failed))
	}

	problems := check(schema, tree)
	var decodeErr error
	if len(p.problems) == 0 || len(data) < maxSecondLook {
		decodeErr = json.Unmarshal(data, &v)
	}

	if len(problems) > 0 || len(p.problems) > 0 {
		return v, place(name, data, merge(tree, data, p.problems, problems))
	}

	if decodeErr != nil {
		return v, place(name, data, []located{decodeProblem(decodeErr)})
	}

	return v, nil
}

// merge combines the parser's problems with the schema's. It drops the schema's
// problems at values that the parser refused.
func merge(tree any, data []byte, parsed []located, checked []Problem) []located {
	all := slices.Clone(parsed)
	refused := make(map[string]bool)
	for i, f := range all {
		all[i].Entry = entryAt(tree, jsonpointer.Split(f.Pointer))
		refused[f.Pointer] = true
	}
	checked = slices.DeleteFunc(checked, func(p Problem) bool { return refused[p.Pointer] })
	return append(all, locate(data, checked)...)
}

// decodeProblem describes a value that the schema allows but encoding/json
// cannot decode: in practice a whole number written as 1.0, or one beyond 64
// bits.
func decodeProblem(err error) located {
	var te *json.UnmarshalTypeError
	if errors.As(err, &te) {
		return located{int(te.Offset), Problem{
			Message: fmt.Sprintf("%s cannot be %s", te.Field, te.Value),
			Remedy:  "write a whole number in plain digits",
		}}
	}
	return located{0, Problem{Message: err.Error(), Remedy: "correct the value"}}
}
