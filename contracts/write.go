package contracts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strconv"

	"github.com/touchstone-eval/touchstone/internal/base/atomicfile"
	"github.com/touchstone-eval/touchstone/internal/base/jsonpointer"
)

// Write writes v, a value of one of the types that have a schema (or a pointer
// to one), to path. It replaces the file atomically, and only if v matches the
// schema. Equal values give equal bytes.
func Write(path string, v any) error {
	data, err := Encode(path, v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	if err := atomicfile.WriteFile(path, data, 0o644); err != nil {
		return fmt.Errorf("cannot write %s: %w; check the space and the permissions there", path, err)
	}
	return nil
}

// Encode returns what Write writes: JSON with an indent of one space, fields in
// the order of the type, sorted map keys, and a line feed at the end. A nil
// slice or map becomes an empty one. name stands for the file in errors.
func Encode(name string, v any) ([]byte, error) {
	rv := reflect.ValueOf(v)
	for rv.Kind() == reflect.Pointer && !rv.IsNil() {
		rv = rv.Elem()
	}

	if !rv.IsValid() || rv.Kind() == reflect.Pointer {
		return nil, fmt.Errorf("cannot write %s: there is no value", name)
	}

	schema, err := schemaOf(rv.Type())
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", name, err)
	}

	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(filled(rv).Interface()); err != nil {
		var unsupported *json.UnsupportedValueError
		if errors.As(err, &unsupported) {
			return nil, &FileError{Path: name, Problems: []Problem{{
				Pointer: notANumber(rv, ""),
				Message: fmt.Sprintf("%s is %s, which is not a number", notANumber(rv, ""), unsupported.Str),
				Remedy:  "leave the field out where there is no value",
			}}}
		}

		return nil, fmt.Errorf("cannot write %s: %w", name, err)
	}

	data := buf.Bytes()
	tree, p := parse(data)
	if p.failed != nil {
		return nil, place(name, data, append(p.problems, *p.failed))
	}

	if problems := check(schema, tree); len(problems) > 0 || len(p.problems) > 0 {
		return nil, place(name, data, merge(tree, data, p.problems, problems))
	}

	return data, nil
}

// filled returns v with empty slices and maps in place of nil ones. It copies
// what it changes, because v may be shared.
func filled(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return v // json.RawMessage
		}

		if v.IsNil() {
			return reflect.MakeSlice(v.Type(), 0, 0)
		}

		if !holdsLists(v.Type().Elem()) {
			return v
		}

		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(filled(v.Index(i)))
		}

		return out
	case reflect.Map:
		if v.IsNil() {
			return reflect.MakeMap(v.Type())
		}
	case reflect.Pointer:
		if !v.IsNil() && holdsLists(v.Type().Elem()) {
			out := reflect.New(v.Type().Elem())
			out.Elem().Set(filled(v.Elem()))
			return out
		}
	case reflect.Struct:
		if holdsLists(v.Type()) {
			out := reflect.New(v.Type()).Elem()
			for i := range v.NumField() {
				out.Field(i).Set(filled(v.Field(i)))
			}

			return out
		}
	}

	return v
}

// holdsLists reports whether a value of type t can hold a slice or a map.
func holdsLists(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Slice, reflect.Map:
		return true
	case reflect.Pointer:
		return holdsLists(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsLists(t.Field(i).Type) {
				return true
			}
		}
	}

	return false
}

// notANumber finds the first NaN or infinity in v and returns its pointer.
func notANumber(v reflect.Value, at string) string {
	switch v.Kind() {
	case reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return at
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return notANumber(v.Elem(), at)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if p := notANumber(v.Index(i), at+"/"+strconv.Itoa(i)); p != "" {
				return p
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			if p := notANumber(v.MapIndex(key), jsonpointer.Join(at, key.String())); p != "" {
				return p
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if p := notANumber(v.Field(i), at+"/"+fieldName(v.Type().Field(i))); p != "" {
				return p
			}
		}
	}

	return ""
}
