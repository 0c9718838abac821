package pipeline

import (
	"strings"
	"testing"
)

const valuesPipeline = `
variable "name" {
  type    = string
  default = "default"
}
variable "numbers" {
  type    = list(number)
  default = []
}
variable "settings" {
  type    = object({ a = string, b = optional(number, 7) })
  default = { a = "x" }
}
variable "open" { default = null }
stage "s" {
  command = ["x", var.name, jsonencode(var.numbers), jsonencode(var.settings), var.open]
}
`

func TestValues(t *testing.T) {
	files := map[string]string{
		"a.hcl":  "name = \"file a\"\nnumbers = [1, 2]\n",
		"b.json": `{"name": "file b", "settings": {"a": "json", "b": 1}}`,
	}
	for name, tt := range map[string]struct {
		o    Options
		want string
	}{
		"defaults":            {Options{}, `x|default|[]|{"a":"x","b":7}`},
		"environment":         {Options{Environ: []string{"HOME=/", "TOUCHSTONE_VAR_name=env", "TOUCHSTONE_VAR_numbers=[3]"}}, `x|env|[3]|{"a":"x","b":7}`},
		"file over env":       {Options{Environ: []string{"TOUCHSTONE_VAR_name=env"}, VarFiles: []string{"a.hcl"}}, `x|file a|[1,2]|{"a":"x","b":7}`},
		"later file wins":     {Options{VarFiles: []string{"a.hcl", "b.json"}}, `x|file b|[1,2]|{"a":"json","b":1}`},
		"var over file":       {Options{VarFiles: []string{"a.hcl"}, Vars: []string{"name=first", "name=x=y"}}, `x|x=y|[1,2]|{"a":"x","b":7}`},
		"strings are literal": {Options{Vars: []string{"name=[1, ${two}]", "open=3"}}, `x|[1, ${two}]|[]|{"a":"x","b":7}|3`},
		"others are HCL":      {Options{Vars: []string{"numbers=[1, 2 + 3]", `settings={a = "v"}`}}, `x|default|[1,5]|{"a":"v","b":7}`},
		"empty":               {Options{Vars: []string{"name="}}, `x||[]|{"a":"x","b":7}`},
	} {
		t.Run(name, func(t *testing.T) {
			plan, _, out := loadSource(t, valuesPipeline, tt.o, files)
			if plan == nil {
				t.Fatal(out)
			}
			if got := strings.Join(plan.Instances[0].Command, "|"); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestBadValues(t *testing.T) {
	files := map[string]string{
		"typo.hcl":   "nmae = \"x\"\n",
		"block.hcl":  "a {\n}\n",
		"ref.hcl":    "name = var.numbers\n",
		"broken.hcl": "name = [\n",
		"list.json":  "[1]",
		"half.json":  `{"name": "x`,
		"deep.json":  `{"name": ` + strings.Repeat("[", 100_000),
		"huge.json":  `{"numbers": [1e99999999]}`,
		"type.json":  `{"numbers": {"a": 1}}`,
		"twice.json": "{\n  \"name\": \"x\",\n  \"name\": \"y\"\n}",
		"inner.json": `{"settings": {"a": "x", "a": "y"}}`,
		"byte.json":  "{\"name\": \"caf\xe9\"}",
		"two.json":   "{\"name\": \"x\"} {}",
		"attr.hcl":   "settings = {a = \"x\", bb = 1}\n",
	}
	for name, tt := range map[string]struct {
		o       Options
		want    string
		warning bool
	}{
		"undeclared":              {Options{Vars: []string{"nam=1"}}, `Did you mean "name"?`, false},
		"undeclared in env":       {Options{Environ: []string{"TOUCHSTONE_VAR_nam=1"}}, `Did you mean "name"?`, true},
		"undeclared in file":      {Options{VarFiles: []string{"typo.hcl"}}, `Did you mean "name"?`, false},
		"not a pair":              {Options{Vars: []string{"name"}}, "NAME=VALUE", false},
		"no name":                 {Options{Vars: []string{"=x"}}, "NAME=VALUE", false},
		"not a list":              {Options{Vars: []string{"numbers=3"}}, "must be a list(number)", false},
		"half an expression":      {Options{Vars: []string{"numbers=[1"}}, "<value of --var numbers>", false},
		"reference":               {Options{Vars: []string{"numbers=[x]"}}, "Variables not allowed", false},
		"deep":                    {Options{Vars: []string{"numbers=" + strings.Repeat("[", 10_000)}}, "Nested too deeply", false},
		"invalid UTF-8":           {Options{Vars: []string{"numbers=[\"\xff\"]"}}, "Invalid UTF-8", false},
		"huge number":             {Options{Vars: []string{"numbers=[1e99999]"}}, "Number too large", false},
		"huge number in JSON":     {Options{VarFiles: []string{"huge.json"}}, "beyond 1e308", false},
		"missing file":            {Options{VarFiles: []string{"none.hcl"}}, `"none.hcl" does not exist`, false},
		"block in file":           {Options{VarFiles: []string{"block.hcl"}}, "only contains lines of NAME = VALUE", false},
		"reference in file":       {Options{VarFiles: []string{"ref.hcl"}}, "Only constants", false},
		"broken file":             {Options{VarFiles: []string{"broken.hcl"}}, "broken.hcl line", false},
		"JSON that is no object":  {Options{VarFiles: []string{"list.json"}}, "must contain one object", false},
		"half a JSON file":        {Options{VarFiles: []string{"half.json"}}, "Invalid JSON", false},
		"deep JSON":               {Options{VarFiles: []string{"deep.json"}}, "is nested more than", false},
		"name twice in JSON":      {Options{VarFiles: []string{"twice.json"}}, "line 3, at /name: duplicate object member name", false},
		"inner name twice":        {Options{VarFiles: []string{"inner.json"}}, "at /settings/a: duplicate object member name", false},
		"JSON of another charset": {Options{VarFiles: []string{"byte.json"}}, "invalid UTF-8", false},
		"text after JSON":         {Options{VarFiles: []string{"two.json"}}, "text follows after the object", false},
		"attribute":               {Options{Vars: []string{`settings={a = "x", bb = 1}`}}, `it has no attribute "bb". Did you mean "b"?`, false},
		"attribute in file":       {Options{VarFiles: []string{"attr.hcl"}}, `it has no attribute "bb". Did you mean "b"?`, false},
		"wrong type in JSON":      {Options{VarFiles: []string{"type.json"}}, "must be a list(number)", false},
	} {
		t.Run(name, func(t *testing.T) {
			plan, diags, out := loadSource(t, valuesPipeline, tt.o, files)
			if (plan != nil) != tt.warning || len(diags) == 0 || len(diags) > 2 {
				t.Errorf("plan: %v, %d diagnostics", plan != nil, len(diags))
			}
			if !strings.Contains(out, tt.want) {
				t.Errorf("%s\nwant %q", out, tt.want)
			}
		})
	}
}

// No message and no printable part of a key contains a sensitive value, whatever an
// expression does with it.
func TestSensitiveValuesAreNeverPrinted(t *testing.T) {
	const secret = "hunter2hunter2"
	for _, expr := range []string{
		`tonumber(var.token)`, `[for c in [var.token] : tonumber(c)]`, `jsondecode(var.token)`, `file(var.token)`,
		`{ a = 1 }[var.token]`, `lookup({}, var.token)`, `regex("x", var.token)`, `tonumber(local.derived.a)`,
		`var.token + 1`, `"${tonumber(var.token)}"`, `parseint(var.token, 36) + base64decode(var.token)`, `upper(var.token).x`,
		`var.object.token + 1`, `[for k, v in var.object : v + 1]`, `try(tonumber(var.token))`,
		`formatdate("YYYY", var.token)`, `(var.token == "" ? [] : {}).a`,
	} {
		for _, attr := range []string{"command", "env", "inputs", "outputs", "timeout", "passthrough"} {
			value := expr
			switch attr {
			case "command", "passthrough":
				value = "[" + expr + "]"
			case "env", "inputs", "outputs":
				value = "{ A = " + expr + " }"
			}
			src := `
variable "token" {
  type      = string
  sensitive = true
}
variable "object" {
  sensitive = true
  default   = { token = "` + secret + `" }
}
locals {
  derived = { a = "x${var.token}" }
}
stage "s" {
  ` + attr + " = " + value + "\n"
			if attr != "command" {
				src += "  command = [\"x\"]\n"
			}
			plan, diags, out := loadSource(t, src+"}\n", Options{Vars: []string{"token=" + secret}}, nil)
			printed := out
			for _, d := range diags {
				printed += d.Error()
			}
			if plan != nil {
				if attr != "command" && attr != "env" {
					t.Errorf("%s = %s is accepted", attr, value)
				}
				if !plan.Instances[0].Sensitive {
					t.Errorf("%s = %s: the instance is not sensitive", attr, value)
				}
				_, components := plan.Instances[0].Key(nil, nil)
				for _, c := range components {
					printed += c.Value
				}
			}
			// The default of the object is in the source, and a snippet may show its
			// line. No message may quote it.
			for _, line := range strings.Split(printed, "\n") {
				if strings.Contains(line, secret) && !strings.Contains(line, "default   =") {
					t.Errorf("%s = %s is printed: %s", attr, value, line)
				}
			}
		}
	}
}

func TestSensitiveVariableWithAWrongValue(t *testing.T) {
	const src = "variable \"v\" {\n  type = list(number)\n  sensitive = true\n}\nstage \"s\" { command = [\"x\"] }\n"
	for _, value := range []string{`["hunter2"]`, `hunter2`, `[hunter2`, `{a = "hunter2"}`, `"${hunter2}"`} {
		for _, o := range []Options{{Vars: []string{"v=" + value}}, {Environ: []string{"TOUCHSTONE_VAR_v=" + value}}} {
			plan, _, out := loadSource(t, src, o, nil)
			if plan != nil || strings.Contains(out, "hunter2") {
				t.Errorf("%s: %s", value, out)
			}
		}
	}
}
