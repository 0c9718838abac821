package tool

import (
	"strings"
	"testing"
)

func TestWalkSchema(t *testing.T) {
	fields := walkSchema(nil, []byte(`{"type":"object","title":"T","properties":{"a b":{"description":"D\u00e9\n","enum":["x",{"k y":"v"}],"items":{"default":"z"}}},"x-note":["n"],"$defs":{"q":{"examples":["e"]}}}`), true)
	type got struct {
		kind  Kind
		param string
		text  string
	}
	var have []got
	for _, f := range fields {
		if !f.Output {
			t.Errorf("%q is not marked as output", f.Text)
		}
		have = append(have, got{f.Kind, f.Param, f.Text})
	}
	want := []got{
		{KindTitle, "", "T"}, {KindParamName, "a b", "a b"}, {KindParamDescription, "a b", "Dé\n"},
		{KindEnum, "a b", "x"}, {KindEnum, "a b", "k y"}, {KindEnum, "a b", "v"}, {KindDefault, "a b", "z"},
		{KindOther, "", "n"}, {KindParamName, "q", "q"}, {KindExample, "q", "e"},
	}
	if len(have) != len(want) {
		t.Fatalf("got %v, want %v", have, want)
	}
	for i := range want {
		if have[i] != want[i] {
			t.Errorf("field %d: got %v, want %v", i, have[i], want[i])
		}
	}
}

// The texts beyond the largest number of fields are read as well.
func TestManyFields(t *testing.T) {
	schema := `{"enum":[` + strings.Repeat(`"a b",`, maxFields+7) + `"the last one"]}`
	var v View
	v.Load(&Definition{InputSchema: []byte(schema)})
	fields := v.AllFields()
	if len(fields) > maxFields+2 || !strings.HasSuffix(fields[len(fields)-1].Text, "a b\nthe last one\n") {
		t.Errorf("%d fields", len(fields))
	}
}
