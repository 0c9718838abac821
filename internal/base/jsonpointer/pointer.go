// Package jsonpointer writes and reads JSON Pointers (RFC 6901), such as
// "/properties/a~1b/default" for the default of the property "a/b".
package jsonpointer

import "strings"

// A pointer separates names by "/", so a name has "~1" for its own "/", and "~0" for "~".
var (
	escaped   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaped = strings.NewReplacer("~1", "/", "~0", "~")
)

// Append appends a name to a pointer. It only allocates if the name must be escaped or the
// pointer has no room for it.
func Append(pointer []byte, name string) []byte {
	pointer = append(pointer, '/')
	if strings.ContainsAny(name, "~/") {
		name = escaped.Replace(name)
	}
	return append(pointer, name...)
}

// Join returns the pointer that leads on from a pointer along names. The pointer to a
// whole document is empty.
func Join(pointer string, names ...string) string {
	p := []byte(pointer)
	for _, name := range names {
		p = Append(p, name)
	}
	return string(p)
}

// Split returns the names of a pointer, from the outermost. A missing "/" at the start is
// no error.
func Split(pointer string) []string {
	if pointer == "" {
		return nil
	}
	names := strings.Split(strings.TrimPrefix(pointer, "/"), "/")
	for i, name := range names {
		names[i] = unescaped.Replace(name)
	}
	return names
}
