package contracts

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
)

// CanonicalJSON rewrites a JSON value so that equal values have equal bytes, as
// digests need: sorted keys, no white space, and each number as the shortest
// text that gives the same float64. A value that a program read into float64
// and wrote again has the same canonical form.
func CanonicalJSON(raw []byte) ([]byte, error) {
	tree, p := parse(raw)
	if p.failed != nil {
		p.problems = append(p.problems, *p.failed)
	}

	if len(p.problems) > 0 {
		return nil, place("JSON value", raw, p.problems)
	}

	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(tree); err != nil {
		return nil, err
	}

	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// fieldName is the name of a struct field in JSON.
func fieldName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}
