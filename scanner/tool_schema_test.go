package scanner

import "testing"

func TestWalkSchema(t *testing.T) {
	fields := walkSchema(nil, []byte(`{"type":"object","title":"T","properties":{"a b":{"description":"D\u00e9\n","enum":["x",{"k y":"v"}],"items":{"default":"z"}}},"x-note":["n"],"$defs":{"q":{"examples":["e"]}}}`), true)
	type got struct {
		kind  fieldKind
		param string
		text  string
	}
	var have []got
	for _, f := range fields {
		if !f.output {
			t.Errorf("%q is not marked as output", f.text)
		}
		have = append(have, got{f.kind, f.param, f.text})
	}
	want := []got{
		{kindTitle, "", "T"}, {kindParamName, "a b", "a b"}, {kindParamDescription, "a b", "Dé\n"},
		{kindEnum, "a b", "x"}, {kindEnum, "a b", "k y"}, {kindEnum, "a b", "v"}, {kindDefault, "a b", "z"},
		{kindOther, "", "n"}, {kindParamName, "q", "q"}, {kindExample, "q", "e"},
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
