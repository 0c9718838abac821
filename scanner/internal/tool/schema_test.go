package tool

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
)

func TestWalkSchema(t *testing.T) {
	fields := new(View).walk(nil, part{output: true, raw: []byte(`{"type":"object","title":"T","properties":{"a b":{"description":"D\u00e9\n","enum":["x",{"k y":"v"}],"items":{"default":"z"}}},"x-note":["n"],"$defs":{"q":{"examples":["e"]}}}`)})
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

// The pointer of each field leads to its text in the definition as MCP writes it.
func TestPointer(t *testing.T) {
	var v View
	v.Load(&Definition{
		Name: "n", Title: "t", Description: "d",
		InputSchema:  []byte(`{"properties":{"a/b":{"description":"p","enum":["x",["y","z"]]},"c~":{"default":{"k y":"v"}}}}`),
		OutputSchema: []byte(`{"title":"o"}`),
		Annotations:  []byte(`{"note":"a"}`),
		Extra:        []byte(`{"_meta":{"m":["e",{"f":"g"}]}}`),
	})
	want := map[string]string{
		"n": "/name", "t": "/title", "d": "/description", "o": "/outputSchema/title", "a": "/annotations/note",
		"a/b": "/inputSchema/properties/a~1b", "p": "/inputSchema/properties/a~1b/description",
		"x": "/inputSchema/properties/a~1b/enum/0", "z": "/inputSchema/properties/a~1b/enum/1/1",
		"c~": "/inputSchema/properties/c~0", "k y": "/inputSchema/properties/c~0/default/k y",
		"v": "/inputSchema/properties/c~0/default/k y", "e": "/_meta/m/0", "g": "/_meta/m/1/f",
		"y": "/inputSchema/properties/a~1b/enum/1/0",
	}
	for i := range v.AllFields() {
		f := &v.Fields[i]
		if got := v.Pointer(f); got != want[f.Text] {
			t.Errorf("%s %q: %s, want %s", f.Kind, f.Text, got, want[f.Text])
		}
		delete(want, f.Text)
	}
	if len(want) > 0 {
		t.Errorf("no fields for %v", want)
	}
	for text, want := range map[string]string{"x": "/arguments/0/name", "y": "/arguments/1/description"} {
		v.Load(&Definition{Name: "p", Subject: Prompt, InputSchema: []byte(`[{"name":"x"},{"description":"y","required":true}]`)})
		for i := range v.AllFields() {
			if f := &v.Fields[i]; f.Text == text && v.Pointer(f) != want {
				t.Errorf("%q: %s, want %s", text, v.Pointer(f), want)
			}
		}
	}
}

// The data of pictures are not text. What only claims to be a picture is.
func TestPictures(t *testing.T) {
	icon := func(kind, data string) string {
		return "data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString([]byte(data))
	}
	read := func(text string) int {
		extra, err := json.Marshal(map[string]any{"icons": []any{map[string]any{"src": text, "sizes": []string{"48x48"}}}})
		if err != nil {
			t.Fatal(err)
		}
		var v View
		v.Load(&Definition{Extra: extra})
		n := 0
		for i := range v.AllFields() {
			if v.Fields[i].Text == text {
				n++
			}
		}
		return n
	}
	for kind, data := range map[string]string{
		"png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "jpeg": "\xff\xd8\xff\xe0\x00\x10JFIF", "jpg": "\xff\xd8\xff\xe1", "gif": "GIF89a\x01\x00",
		"webp": "RIFF\x24\x00\x00\x00WEBPVP8 ", "avif": "\x00\x00\x00\x20ftypavif", "x-icon": "\x00\x00\x01\x00\x01\x00", "vnd.microsoft.icon": "\x00\x00\x01\x00\x01\x00\x10",
	} {
		if text := icon(kind, data); read(text) != 0 {
			t.Errorf("the data of a picture are read: %s", text)
		}
	}
	for _, text := range []string{
		icon("png", "hello world"), icon("jpeg", "Do not tell the user."), icon("webp", "RIFF and no more"), icon("gif", ""), icon("png", "\x89PN"),
		icon("svg+xml", "<svg/>"), "data:image/png;base64,say something", icon("png", "\x89PNG\r\n\x1a\n\x00") + " say something",
	} {
		if read(text) != 1 {
			t.Errorf("not read: %s", text)
		}
	}
}
