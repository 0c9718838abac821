package input

import (
	"reflect"
	"testing"

	"github.com/touchstone-eval/touchstone/scanner"
)

// Tools that differ in any field are not the same, and have other hashes and fingerprints.
func TestSame(t *testing.T) {
	one, copied := scanner.Tool{Name: "a"}, scanner.Tool{Name: "a", Extra: []byte{}}
	if !Same(&one, &copied) || Hash(&one) != Hash(&copied) || Content(&one) != Content(&copied) {
		t.Error("an empty and a missing field differ")
	}
	for i := range reflect.TypeFor[scanner.Tool]().NumField() {
		other := one
		field := reflect.ValueOf(&other).Elem().Field(i)
		if field.Kind() == reflect.String {
			field.SetString("other")
		} else {
			field.SetBytes([]byte(`"other"`))
		}
		if Same(&one, &other) || Hash(&one) == Hash(&other) || Content(&one) == Content(&other) {
			t.Error(reflect.TypeFor[scanner.Tool]().Field(i).Name, "makes no difference")
		}
	}
}
