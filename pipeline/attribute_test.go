package pipeline

import (
	"slices"
	"strings"
	"testing"
)

const attributesPipeline = `
variable "limits" {
  type    = object({ runs = optional(number, 3), name = optional(string, "x"), on = optional(bool), sizes = optional(list(number), [1]) })
  default = { runs = 5 }
}
variable "nested" {
  type    = object({ inner = optional(object({ a = optional(string, "a"), b = optional(string, "b") }), {}), labels = optional(map(string), {}) })
  default = {}
}
variable "options" {
  type    = map(string)
  default = { search = "mcp" }
}
variable "programs" {
  type    = map(object({ dir = string, time = optional(string, "10s") }))
  default = {}
}
variable "bare" {
  type = object({ a = string, b = optional(string, "b"), c = string })
  default = null
}
variable "secret" {
  type      = object({ token = string, ports = optional(list(number)) })
  default   = { token = "" }
  sensitive = true
}
variable "number" { default = 1 }
variable "list" {
  type = list(string)
  default = []
}
stage "s" {
  command = ["x", jsonencode(var.limits), jsonencode(var.nested), jsonencode(var.options), jsonencode(var.programs), jsonencode(var.bare)]
}
`

func TestAttributes(t *testing.T) {
	files := map[string]string{"v.hcl": "limits = { runs = 7, name = \"file\" }\n", "broken.hcl": "limits = {"}
	for name, tt := range map[string]struct {
		o    Options
		at   int
		want string
	}{
		"on the default":        {Options{Vars: []string{"limits.name=y z"}}, 1, `{"name":"y z","on":null,"runs":5,"sizes":[1]}`},
		"of a file":             {Options{VarFiles: []string{"v.hcl"}, Vars: []string{"limits.runs=8"}}, 1, `{"name":"file","on":null,"runs":8,"sizes":[1]}`},
		"of the environment":    {Options{Environ: []string{`TOUCHSTONE_VAR_limits={name = "env"}`}, Vars: []string{"limits.on=true"}}, 1, `{"name":"env","on":true,"runs":3,"sizes":[1]}`},
		"of an earlier --var":   {Options{Vars: []string{`limits={name = "one"}`, "limits.runs=4", "limits.sizes=[2, 3]"}}, 1, `{"name":"one","on":null,"runs":4,"sizes":[2,3]}`},
		"before a whole value":  {Options{Vars: []string{"limits.runs=4", `limits={name = "one"}`}}, 1, `{"name":"one","on":null,"runs":3,"sizes":[1]}`},
		"twice":                 {Options{Vars: []string{"limits.runs=4", "limits.runs=6"}}, 1, `{"name":"x","on":null,"runs":6,"sizes":[1]}`},
		"text with = and .":     {Options{Vars: []string{"limits.name=a.b=[c"}}, 1, `{"name":"a.b=[c","on":null,"runs":5,"sizes":[1]}`},
		"nested":                {Options{Vars: []string{"nested.inner.b=c", "nested.labels.x=y"}}, 2, `{"inner":{"a":"a","b":"c"},"labels":{"x":"y"}}`},
		"a nested object":       {Options{Vars: []string{`nested.inner={ a = "z" }`}}, 2, `{"inner":{"a":"z","b":"b"},"labels":{}}`},
		"of a map":              {Options{Vars: []string{"options.search=rest", "options.other=3"}}, 3, `{"other":"3","search":"rest"}`},
		"of an object in a map": {Options{Vars: []string{"programs.mine.dir=d", "programs.mine.time=1s", "programs.other.dir=e"}}, 4, `{"mine":{"dir":"d","time":"1s"},"other":{"dir":"e","time":"10s"}}`},
		"required ones":         {Options{Vars: []string{"bare.a=1", "bare.c=2"}}, 5, `{"a":"1","b":"b","c":"2"}`},
	} {
		t.Run(name, func(t *testing.T) {
			plan, _, out := loadSource(t, attributesPipeline, tt.o, files)
			if plan == nil {
				t.Fatal(out)
			}
			if got := plan.Instances[0].Command[tt.at]; got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
	for name, tt := range map[string]struct {
		vars []string
		want string
	}{
		"unknown":              {[]string{"limits.run=1"}, `--var limits.run: the variable "limits" has no attribute "run". Did you mean "runs"? It has "name", "on", "runs" or "sizes".`},
		"unknown nested":       {[]string{"nested.inner.c=1"}, `the attribute "inner" of the variable "nested" has no attribute "c". Did you mean "a"? It has "a" or "b".`},
		"of no object":         {[]string{"number.x=1"}, `the variable "number" takes any value, which has no attributes. Set it as a whole: --var number=VALUE.`},
		"of a list":            {[]string{"list.0=1"}, `the variable "list" takes a list(string), which has no attributes.`},
		"of an attribute":      {[]string{"limits.runs.x=1"}, `the attribute "runs" of the variable "limits" takes a number, which has no attributes. Set it as a whole: --var limits.runs=VALUE.`},
		"undeclared":           {[]string{"limit.runs=1"}, `Did you mean "limits"?`},
		"another type":         {[]string{"limits.runs=many"}, `--var limits.runs: the attribute "runs" of the variable "limits" must be a number, not "many".`},
		"no expression":        {[]string{"limits.sizes=[1"}, `The attribute "sizes" of the variable "limits" takes a list(number), written as`},
		"no object":            {[]string{"limits=5 runs"}, `written as {name = "value"}. --var NAME.ATTRIBUTE=VALUE sets one attribute.`},
		"a huge number":        {[]string{"limits.sizes=[1e999]"}, "1e999"},
		"no attribute":         {[]string{"limits.=1"}, "NAME.ATTRIBUTE=VALUE"},
		"no name":              {[]string{".runs=1"}, "NAME.ATTRIBUTE=VALUE"},
		"an empty step":        {[]string{"nested..a=1"}, "NAME.ATTRIBUTE=VALUE"},
		"a missing one":        {[]string{"bare.a=1"}, `--var bare: the variable "bare" must be an object(`},
		"an invalid one stays": {[]string{"limits.runs=many", "limits.runs=1"}, "must be a number"},
	} {
		t.Run(name, func(t *testing.T) {
			plan, diags, out := loadSource(t, attributesPipeline, Options{Vars: tt.vars}, nil)
			if plan != nil || len(diags) != 1 {
				t.Errorf("plan: %v, %d diagnostics", plan != nil, len(diags))
			}
			if out = strings.Join(strings.Fields(out), " "); !strings.Contains(out, tt.want) {
				t.Errorf("%s\nwant %s", out, tt.want)
			}
		})
	}
}

// A file that could not be read may set what the attribute does not, so nothing is reported as missing.
func TestAttributeAfterAnUnreadFile(t *testing.T) {
	src := strings.Replace(attributesPipeline, "  default = null\n", "", 1)
	_, diags, out := loadSource(t, src, Options{VarFiles: []string{"none.hcl"}, Vars: []string{"bare.a=1"}}, nil)
	if len(diags) != 1 || !strings.Contains(out, "none.hcl") {
		t.Error(out)
	}
}

func TestAttributesOfSensitiveVariablesAreNeverPrinted(t *testing.T) {
	for _, v := range []string{"secret.ports=hunter2", "secret.ports=[hunter2", `secret.ports=["hunter2"]`, "secret.ports=[1]"} {
		plan, _, out := loadSource(t, attributesPipeline, Options{Vars: []string{v, "secret.token=hunter2"}}, nil)
		if (plan != nil) != (v == "secret.ports=[1]") || strings.Contains(out, "hunter2") {
			t.Errorf("%s: %s", v, out)
		}
	}
}

func TestAttributesAreListed(t *testing.T) {
	plan, _, out := loadSource(t, attributesPipeline, Options{}, nil)
	if plan == nil {
		t.Fatal(out)
	}
	var names []string
	for _, v := range plan.Variables[1:4] {
		for _, a := range v.Attributes {
			names = append(names, a.Name+" "+a.Type)
		}
	}
	want := []string{
		"nested.inner object({a = optional(string), b = optional(string)})", "nested.inner.a string", "nested.inner.b string",
		"nested.labels map(string)", "nested.labels. string", "options. string",
		"programs. object({dir = string, time = optional(string)})",
	}
	if !slices.Equal(names, want) {
		t.Errorf("%q", names)
	}
}
