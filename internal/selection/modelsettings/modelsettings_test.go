package modelsettings

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/internal/selection"
	"github.com/touchstone-eval/touchstone/internal/selection/model"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "models.hcl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	path := write(t, `
model "openai/gpt" {
  base_url            = "https://h/v1"
  api_key             = "file:key.txt"
  temperature         = 0
  timeout             = 60
  max_retries         = 0
  per_minute          = 30
  confidence          = "none"
  system_prompt       = "prompts/agent.txt"
  tool_choice         = "required"
  parallel_tool_calls = false
  price {
    input  = 2
    output = 8
  }
}
model "ollama/small" {}
`)
	dir := filepath.Dir(path)
	if err := os.Mkdir(filepath.Join(dir, "prompts"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"key.txt": "secret-1\n", "prompts/agent.txt": " You are an agent.\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	m, err := Read(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	none := func(string) string { return "" }
	s, err := m.Fill(selection.SettingsRequest{Provider: "openai", Model: "gpt"}, none).Resolve(none)
	if err != nil {
		t.Fatal(err)
	}
	if s.BaseURL != "https://h/v1" || s.Temperature != 0 || s.Timeout != 60 || s.MaxRetries != 0 || s.Confidence != "none" || s.SystemPrompt != "You are an agent." || s.ToolChoice != "required" || s.ParallelToolCalls == nil || *s.ParallelToolCalls {
		t.Errorf("%+v", s)
	}
	o, err := m.Options(s, model.Options{})
	if err != nil || o.Key.Reveal() != "secret-1" || o.Price != (model.Price{Input: 2, Output: 8}) || o.Limit == nil {
		t.Errorf("%+v, %v", o, err)
	}

	// What a request says comes first, then the file, the environment and the defaults.
	one, env := 1.0, func(name string) string {
		return map[string]string{selection.EnvTemperature: "2", selection.EnvTimeout: "7"}[name]
	}
	s, err = m.Fill(selection.SettingsRequest{Provider: "openai", Model: "gpt", Temperature: &one}, env).Resolve(env)
	if err != nil || s.Temperature != 1 || s.Timeout != 60 {
		t.Errorf("%+v, %v", s, err)
	}
	s, err = m.Fill(selection.SettingsRequest{Provider: "ollama", Model: "small"}, env).Resolve(env)
	if err != nil || s.Temperature != 2 || s.Timeout != 7 || s.MaxRetries != selection.DefaultMaxRetries {
		t.Errorf("%+v, %v", s, err)
	}
}

// A recording has the settings of the recorded model, and nothing is sent for it.
func TestARecordingHasTheSettingsOfItsModel(t *testing.T) {
	m, err := Read(t.Context(), write(t, `
model "openai/gpt" {
  base_url    = "https://h/v1"
  api_key     = "env:NO_SUCH_KEY"
  temperature = 1
  per_minute  = 1
}
model "ollama/own" { temperature = 1 }
model "replay/ollama/own" { temperature = 2 }
`))
	if err != nil {
		t.Fatal(err)
	}
	none := func(string) string { return "" }
	for name, want := range map[string]float64{"openai/gpt": 1, "ollama/own": 2, "ollama/other": selection.DefaultTemperature} {
		s, err := m.Fill(selection.SettingsRequest{Provider: "replay", Model: name}, none).Resolve(none)
		if err != nil || s.Temperature != want || s.BaseURL != "" {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
		if o, err := m.Options(s, model.Options{}); err != nil || !o.Key.Empty() || o.Limit != nil {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
	}
}

// The key of a block is for the address of the block alone, which a request over REST
// or a flag may replace.
func TestAKeyIsForOneAddress(t *testing.T) {
	t.Setenv("KEY_OF_FILE", "secret-of-file")
	m, err := Read(t.Context(), write(t, `model "compatible/m" {
  base_url = "https://mine/v1"
  api_key  = "env:KEY_OF_FILE"
}`))
	if err != nil {
		t.Fatal(err)
	}
	key := func(base string, own model.Key) string {
		t.Helper()
		o, err := m.Options(selection.Settings{Provider: "compatible", Model: "m", BaseURL: base}, model.Options{Key: own})
		if err != nil {
			t.Fatal(err)
		}
		return o.Key.Reveal()
	}
	for base, want := range map[string]string{"https://mine/v1": "secret-of-file", "https://other/v1": "", "": ""} {
		if got := key(base, model.Key{}); got != want {
			t.Errorf("%s gets %q, want %q", base, got, want)
		}
	}
	if got := key("https://mine/v1", model.NewKey("own")); got != "own" {
		t.Errorf("the key of the request is replaced by %q", got)
	}
	m.Give("compatible/m", Given{BaseURL: "https://other/v1"})
	if got := key("https://other/v1", model.Key{}); got != "" {
		t.Errorf("another address gets %q", got)
	}
	m.Give("compatible/m", Given{Key: model.NewKey("given")})
	if got := key("https://other/v1", model.Key{}); got != "given" {
		t.Errorf("got %q", got)
	}
	m.Give("ollama/new", Given{BaseURL: "http://h/v1"})
	if r := m.Fill(selection.SettingsRequest{Provider: "ollama", Model: "new"}, os.Getenv); r.BaseURL != "http://h/v1" {
		t.Errorf("%+v", r)
	}
}

func TestReadRefuses(t *testing.T) {
	empty := write(t, " \n")
	for text, want := range map[string]string{
		`model "a/b" { temprature = 1 }`:                    `models.hcl:1: Unsupported argument: An argument named "temprature" is not expected here. Did you mean "temperature"?`,
		"\nmodels \"a/b\" {}":                               `models.hcl:2: Unsupported block type: Blocks of type "models" are not expected here. Did you mean "model"?`,
		"model \"openai/b\" {\n price {\n inputs = 1\n}\n}": `models.hcl:3: Unsupported argument: An argument named "inputs" is not expected here. Did you mean "input"?`,
		`model {}`:                                                    "models.hcl:1: Missing name for model",
		`model "gpt" {}`:                                              `models.hcl:1: model "gpt": "gpt" is not of the form provider/model`,
		`model "opnai/gpt" {}`:                                        `model "opnai/gpt": provider "opnai" is unknown: did you mean "openai"?`,
		`model "zzzzzzzz/gpt" {}`:                                     `provider "zzzzzzzz" is unknown: use anthropic, compatible, `,
		`model "openai/b" { temperature = 2.1 }`:                      "a temperature of 2.1 is not between 0.0 and 2.0",
		`model "openai/b" { timeout = 301 }`:                          "a timeout of 301 seconds is not between 1 and 300",
		`model "openai/b" { timeout = 1.5 }`:                          "value must be a whole number",
		`model "openai/b" { base_url = 1e99999999 }`:                  "models.hcl:1: this is not a plain value: write the number without an exponent",
		`model "openai/b" { timeout = "1e99999999" }`:                 "models.hcl:1: ",
		`model "openai/b" { temperature = 1 + 1 }`:                    "models.hcl:1: this is not a plain value: write a text in quotes, a number, true or false",
		`model "openai/b" { api_key = "${"sk-visible"}" }`:            "this is not a plain value",
		strings.Repeat("model \"openai/b\" {\n", 30):                  "models.hcl:21: this is not a plain value: this is nested too deeply",
		`model "openai/b" { max_retries = 11 }`:                       "11 retries are not between 0 and 10",
		`model "openai/b" { confidence = "sure" }`:                    `confidence "sure" is unknown: use auto, asked, logprobs or none`,
		`model "openai/b" { tool_choice = "any" }`:                    `tool choice "any" is unknown: use auto, required or none`,
		`model "openai/b" { parallel_tool_calls = "perhaps" }`:        "models.hcl:1: ",
		`model "openai/b" { base_url = "h/v1" }`:                      "the base URL is not an http or https URL",
		`model "openai/b" { api_key = "sk-visible" }`:                 "api_key: give the API key by reference, as env:NAME or file:PATH, and not by its value",
		`model "openai/b" { per_minute = -1 }`:                        "per_minute is -1: give 0 or more",
		"model \"openai/b\" {\n price {\n output = -1\n}\n}":          "price: output is -1: give 0 or more",
		`model "openai/b" { system_prompt = "no-such.txt" }`:          "no-such.txt: no such file or directory",
		`model "openai/b" { system_prompt = "` + empty + `" }`:        "is empty: write the prompt, or remove the attribute",
		"model \"openai/b\" {}\nmodel \"openai/b\" {}":                `models.hcl:2: model "openai/b": it has two blocks: remove one`,
		`model "openai/b" { temperature = 3 }` + "\nmodel \"gpt\" {}": `models.hcl:2: model "gpt": `,
		`model "openai/b" {`:                                          "models.hcl:1: ",
	} {
		_, err := Read(t.Context(), write(t, text))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sk-visible") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	if _, err := Read(t.Context(), filepath.Join(t.TempDir(), "none.hcl")); err == nil {
		t.Error("a file that does not exist is read")
	}

	// A key that is not set matters only to who asks the model.
	m, err := Read(t.Context(), write(t, `model "openai/b" { api_key = "env:NO_SUCH_KEY" }`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.New(selection.Settings{Provider: "openai", Model: "b"}, model.Options{}); err == nil || !strings.Contains(err.Error(), `the settings of model "openai/b": the API key: the environment variable NO_SUCH_KEY is not set`) {
		t.Error(err)
	}
}

// What is read can be used, and no error repeats a value that could be a key.
func FuzzParse(f *testing.F) {
	f.Add("openai/gpt", "temperature = 1")
	f.Add("ollama/x/y", "timeout = \"7\"\nmax_retries = 3\nprice {\n}")
	f.Add("gpt", "confidence = [")
	f.Fuzz(func(t *testing.T, name, body string) {
		if strings.Contains(body, "system_prompt") {
			t.Skip("it would read any file")
		}
		const key = "sk-5f1e77"
		text := fmt.Sprintf("model %q {\napi_key = %q\n%s\n}", name, key, body)
		if _, err := parse(t.Context(), "models.hcl", []byte(text)); err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%q: %v", text, err)
		}
		m, err := parse(t.Context(), "models.hcl", []byte(strings.ReplaceAll(text, key, "env:KEY")))
		if err != nil {
			return
		}
		none := func(string) string { return "" }
		for name := range m.byName {
			r, err := selection.RequestFor(name)
			if err != nil {
				t.Error(err)
			}
			if _, err := m.Fill(r, none).Resolve(none); err != nil {
				t.Error(err)
			}
		}
	})
}
