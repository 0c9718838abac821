package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

func TestEmbeddings(t *testing.T) {
	asked := ""
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			Model string   `json:"model"`
			Input []string `json:"input"`
		}
		if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
			t.Error(err)
		}
		asked = r.URL.Path + " " + request.Model
		data := []any{}
		for i := range request.Input {
			data = append(data, map[string]any{"index": i, "embedding": []float64{1, 0}})
		}
		if err := json.NewEncoder(w).Encode(map[string]any{"data": data}); err != nil {
			t.Error(err)
		}
	}))
	defer service.Close()
	t.Setenv("TOUCHSTONE_CACHE", t.TempDir())
	tools := filepath.Join(t.TempDir(), "tools.json")
	saveText(t, tools, `{"tools":[{"name":"a","description":"Reads a file"},{"name":"b","description":"Sings a song"}]}`)
	s := &evalBench{t: t}
	similar := func(spec string) string {
		return s.evalAll("similar", "--tools", tools, "--embeddings", spec)
	}
	if out := similar(service.URL + "/v1#big/model"); !strings.Contains(out, "1 pair at embedding") || asked != "/v1/embeddings big/model" {
		t.Errorf("%q was asked: %s", asked, out)
	}
	for spec, want := range map[string]string{
		service.URL + "/v1":       "--embeddings: name the model of the service after a #",
		"ftp://h/v1#m":            "must start with http:// or https://",
		"use-lite-en":             "--embeddings: use-lite-en: the model is not on this machine: add it with touchstone models add use-lite-en",
		"no-such":                 "--embeddings: there is no directory no-such, and there is no model \"no-such\": the known models are use-lite-en",
		filepath.Dir(tools) + "/": "is not the model use-lite-en",
	} {
		if out := similar(spec); !strings.Contains(out, want) {
			t.Errorf("%s: %s, want %q", spec, out, want)
		}
	}
	if out := s.evalAll("similar", "--tools", tools, "--method", "embedding"); !strings.Contains(out, "name one with --embeddings") {
		t.Error(out)
	}
}
