package pipeline_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/touchstone-eval/touchstone/pipeline"
)

const builtinVariables = `
variable "source" {
  default = ""
  type    = string
}
variable "runs" {
  type    = number
  default = 3
  validation {
    condition     = var.runs > 0
    error_message = "Set runs to 1 or more."
  }
}
variable "build" {
  type    = object({ command = optional(list(string), []), binary = optional(string, "proxy"), user = optional(string) })
  default = {}
  validation {
    condition     = length(var.build.command) == 0 || var.source != ""
    error_message = "build.command needs source."
  }
}
variable "there" {
  type    = string
  default = ""
  validation {
    condition     = var.there == "" || fileexists(var.there)
    error_message = "There is no file."
  }
}
stage "s" { command = ["x"] }
`

func settings(base map[string]cty.Value, vars ...string) pipeline.Settings {
	return pipeline.Settings{
		Files: []pipeline.BuiltinFile{{Name: "variables.hcl", Text: []byte(builtinVariables)}}, Dir: "none", Base: base, Vars: vars,
	}
}

// What is written into a pipeline is only what it changes, and it means the same there.
func TestSettings(t *testing.T) {
	base := map[string]cty.Value{
		"build": cty.ObjectVal(map[string]cty.Value{"command": cty.ListVal([]cty.Value{cty.StringVal("make")})}),
		// The file is yet to be written.
		"there": cty.StringVal("later.hcl"),
	}
	for name, tt := range map[string]struct {
		base map[string]cty.Value
		vars []string
		want string
	}{
		"nothing":              {nil, nil, `{}`},
		"a number":             {nil, []string{"runs=5"}, `{runs = 5}`},
		"the default":          {nil, []string{"runs=3", "build.binary=proxy"}, `{runs = 3}`},
		"an attribute":         {nil, []string{"build.binary=x"}, `{build = {binary = "x"}}`},
		"on top of the base":   {base, []string{"build.user=me", "source=.."}, `{build = {command = ["make"] user = "me"} source = ".." there = "later.hcl"}`},
		"in place of the base": {base, []string{`build={binary = "y"}`, "source=.."}, `{build = {binary = "y"} source = ".." there = "later.hcl"}`},
	} {
		t.Run(name, func(t *testing.T) {
			values, diags := settings(tt.base, tt.vars...).Resolve()
			if diags.HasErrors() {
				t.Fatal(details(diags))
			}
			got := "{}"
			if len(values) > 0 {
				got = string(hclwrite.TokensForValue(cty.ObjectVal(values)).Bytes())
			}
			got = strings.Join(strings.Fields(strings.NewReplacer("{", "{ ", "}", " }").Replace(got)), " ")
			want := strings.Join(strings.Fields(strings.NewReplacer("{", "{ ", "}", " }").Replace(tt.want)), " ")
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
	for name, tt := range map[string]struct{ vars, want string }{
		"a rule":       {"runs=0", "Set runs to 1 or more."},
		"of two":       {`build.command=["make"]`, "build.command needs source."},
		"a type":       {"runs=x", "must be a number"},
		"an attribute": {"build.comand=x", `Did you mean "command"?`},
		"a name":       {"rums=1", `sets "rums", which the pipeline does not declare. Did you mean "runs"?`},
		"a file":       {"there=x", "There is no file."},
	} {
		t.Run("wrong: "+name, func(t *testing.T) {
			_, diags := settings(nil, tt.vars).Resolve()
			if out := details(diags); len(diags) != 1 || !strings.Contains(out, tt.want) {
				t.Errorf("%s\nwant %s", out, tt.want)
			}
		})
	}
	var names []string
	for _, v := range settings(nil).Variables() {
		names = append(names, v.Name)
	}
	if got := strings.Join(names, " "); got != "source runs build there" {
		t.Error(got)
	}
}
