package pipeline

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/touchstone-eval/touchstone/cache"
)

// keyExempt lists every field in Instance that is not part of the key, with the
// reason. A field that is neither in the key nor here fails the test.
var keyExempt = map[string]string{
	"Timeout":             "a result that was reached within another limit is the same result; failures are not kept",
	"Retries":             "a result that was reached at the second attempt is the same result",
	"Resources.CPUs":      "says when the stage is scheduled; commands do not see it",
	"Resources.MemoryMB":  "says when the stage is scheduled; commands do not see it",
	"Cache.Off":           "determines whether a result is looked up, but does not affect it",
	"Cache.TTL":           "says how old a result may be, not what it is",
	"Sensitive":           "says what may be printed; the values themselves are in the key",
	"Off":                 "an instance that is off never runs and has no result; what reads it has the input or has not",
	"OnDemand":            "says which runs the stage is part of; a result is the same in all",
	"After":               "says when the stage starts; what the stages before it made and it does not read is not an input of it",
	"Upstream":            "follows from Inputs, and what upstream made is in the key by content, so that an upstream rerun that gives the same bytes changes nothing",
	"Inputs.Files.Path":   "part of the digest of the input's content",
	"Inputs.Files.Source": "keys hold what a file contains and not where it lies",
	"Inputs.Files.Label":  "names the file in messages",
	"Inputs.Files.Found":  "spares a look at the file; what it contains is part of the digest of the input's content",
	"Inputs.From.Path":    "part of the digest of the input's content",
	"Inputs.From.From":    "keys hold what an output contains and not who made it",
}

func fullInstance() *Instance {
	return &Instance{
		Stage:   "stage",
		Matrix:  []AxisValue{{"axis", "value"}},
		Command: []string{"program", "argument"},
		Inputs: []Input{{Name: "in", Path: "in/in", Files: []SourceFile{{Path: "p", Source: "/s", Label: "l"}},
			From: []UpstreamFile{{Path: "p", From: OutputRef{1, "o"}}}}},
		Outputs:     []Output{{Name: "out", Path: "out/out"}},
		Env:         []EnvVar{{"A", "a"}},
		Passthrough: []string{"P"},
		Secrets:     []Secret{{"S", "env:S"}},
		Timeout:     time.Second, Retries: 1, Network: NetworkNone, Image: "image", Platform: "platform",
		Resources: Resources{1, 1}, Cache: CachePolicy{TTL: 1}, Upstream: []int{1}, After: []int{1},
	}
}

var fullDigests = map[string]cache.Digest{"in": {1}, "changed": {1}}
var fullTools = []ToolIdentity{{"program", cache.Digest{2}}}

// The test changes every field in Instance, one at a time.
func TestKeyCoversInstance(t *testing.T) {
	base, _ := fullInstance().Key(fullDigests, fullTools)
	used := map[string]bool{}
	var walk func(name string, get func(*Instance) reflect.Value)
	walk = func(name string, get func(*Instance) reflect.Value) {
		v := get(fullInstance())
		if _, exempt := keyExempt[name]; !exempt {
			switch v.Kind() {
			case reflect.Struct:
				for i := range v.NumField() {
					f := v.Type().Field(i)
					walk(strings.TrimPrefix(name+"."+f.Name, "."), func(in *Instance) reflect.Value { return get(in).Field(i) })
				}
				return
			case reflect.Slice:
				if v.Len() == 0 {
					t.Fatalf("%s is empty in fullInstance", name)
				}
				walk(name, func(in *Instance) reflect.Value { return get(in).Index(0) })
				shorter := fullInstance()
				s := get(shorter)
				s.Set(s.Slice(0, s.Len()-1))
				if key, _ := shorter.Key(fullDigests, fullTools); key == base && name != "Inputs.Files" && name != "Inputs.From" {
					t.Errorf("an element less in %s does not change the key", name)
				}
				return
			}
		}
		used[name] = true
		in := fullInstance()
		change(t, get(in))
		key, _ := in.Key(fullDigests, fullTools)
		if _, exempt := keyExempt[name]; exempt != (key == base) {
			t.Errorf("%s: changes the key: %v, is exempt: %v", name, key != base, exempt)
		}
	}
	walk("", func(in *Instance) reflect.Value { return reflect.ValueOf(in).Elem() })
	for name := range keyExempt {
		if !used[name] {
			t.Errorf("%s is exempt but is no field", name)
		}
	}
}

func change(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("changed")
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 1)
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.Zero(v.Type()))
	case reflect.Struct:
		v.Set(reflect.Zero(v.Type()))
	default:
		t.Fatalf("a field of kind %s", v.Kind())
	}
}

func TestKeyCoversContentAndTools(t *testing.T) {
	base, components := fullInstance().Key(fullDigests, fullTools)
	if key, _ := fullInstance().Key(map[string]cache.Digest{"in": {3}}, fullTools); key == base {
		t.Error("the content of an input is not in the key")
	}
	if key, _ := fullInstance().Key(fullDigests, []ToolIdentity{{"program", cache.Digest{3}}}); key == base {
		t.Error("the digest of a tool is not in the key")
	}
	if key, _ := fullInstance().Key(fullDigests, nil); key == base {
		t.Error("the absence of a tool is not in the key")
	}
	names := map[string]KeyComponent{}
	for _, c := range components {
		if _, dup := names[c.Name]; dup {
			t.Errorf("two components are called %s", c.Name)
		}
		names[c.Name] = c
	}
	if d := names["input.in"].Digest; d != fullDigests["in"] {
		t.Errorf("input.in has the digest %s, want the content's", d)
	}
	for name, value := range map[string]string{
		"schema": KeySchema, "stage": "stage", "matrix.axis": "value", "command": "program argument", "inputs": "in/in",
		"output.out": "out/out", "env.A": "a", "passthrough": "P", "secret.S": "env:S", "network": "none", "image": "image",
		"platform": "platform", "tool.program": "", "input.in": "",
	} {
		c, ok := names[name]
		if !ok || c.Value != value {
			t.Errorf("component %s: %+v, want the value %q", name, c, value)
		}
		delete(names, name)
	}
	for name := range names {
		t.Errorf("unexpected component %s", name)
	}
}

// Different definitions that would have the same key in an ambiguous encoding.
func TestKeyIsUnambiguous(t *testing.T) {
	variants := []func(*Instance){
		func(in *Instance) {},
		func(in *Instance) { in.Command = []string{"programargument"} },
		func(in *Instance) { in.Command = []string{"program argument"} },
		func(in *Instance) { in.Command = []string{"program", "argument", ""} },
		func(in *Instance) { in.Command = []string{"program", "", "argument"} },
		func(in *Instance) { in.Env = nil },
		func(in *Instance) { in.Env = []EnvVar{{"A", ""}} },
		func(in *Instance) { in.Env = []EnvVar{{"A", "a"}, {"B", ""}} },
		func(in *Instance) { in.Matrix = []AxisValue{{"axis", "valu"}, {"e", ""}} },
		func(in *Instance) { in.Secrets, in.Env = nil, []EnvVar{{"A", "a"}, {"S", "env:S"}} },
		func(in *Instance) { in.Passthrough = nil },
		func(in *Instance) { in.Passthrough = []string{"P", "Q"} },
		func(in *Instance) { in.Passthrough = []string{"PQ"} },
		func(in *Instance) { in.Outputs = []Output{{Name: "out", Path: "out/out", Dir: true}} },
		func(in *Instance) { in.Image = "" },
		func(in *Instance) { in.Platform = "" },
		func(in *Instance) { in.Image, in.Platform = "", "image" },
		func(in *Instance) { in.Inputs = nil },
		func(in *Instance) { in.Inputs = []Input{{Name: "in", Path: "in/in", Tree: true}} },
	}
	seen := map[cache.Key]int{}
	for i, edit := range variants {
		in := fullInstance()
		edit(in)
		key, _ := in.Key(fullDigests, fullTools)
		if j, dup := seen[key]; dup {
			t.Errorf("variants %d and %d have the same key", j, i)
		}
		seen[key] = i
	}
}

func TestKeyHidesSensitiveAndLongValues(t *testing.T) {
	in := fullInstance()
	in.Sensitive = true
	in.Command = []string{"program", "hunter2"}
	in.Env = []EnvVar{{"A", "hunter2"}}
	in.Matrix[0].Value = strings.Repeat("x", maxComponentValue+1)
	in.Image = "two\nlines"
	_, components := in.Key(fullDigests, fullTools)
	for _, c := range components {
		switch c.Name {
		case "command", "env.A", "matrix.axis", "image":
			if c.Value != "" {
				t.Errorf("%s shows %q", c.Name, c.Value)
			}
		}
	}
}

// A Keyer computes the same keys and components, whichever other instances it has
// computed before.
func TestKeyerForgets(t *testing.T) {
	var instances []*Instance
	add := func(edit func(*Instance)) {
		in := fullInstance()
		edit(in)
		instances = append(instances, in)
	}
	add(func(*Instance) {})
	add(func(in *Instance) { in.Sensitive = true })
	add(func(in *Instance) { in.Matrix[0].Value = "other" })
	add(func(in *Instance) { in.Matrix = nil })
	add(func(in *Instance) { in.Matrix[0] = AxisValue{"other", "value"} })
	add(func(in *Instance) { in.Command = nil })
	add(func(in *Instance) { in.Command = []string{"programargument"} })
	add(func(in *Instance) { in.Outputs[0].Dir = true })
	add(func(in *Instance) { in.Outputs[0].Name = "put" })
	add(func(in *Instance) { in.Inputs = nil })
	add(func(in *Instance) { in.Inputs[0].Tree = true })
	add(func(in *Instance) { in.Env[0].Value = "b" })
	add(func(in *Instance) { in.Env = append(in.Env, EnvVar{"B", ""}) })
	add(func(in *Instance) { in.Image, in.Platform = "", "" })
	add(func(in *Instance) { in.Secrets, in.Passthrough = nil, nil })
	var used Keyer
	for _, a := range instances {
		for _, b := range instances {
			for _, in := range []*Instance{a, b} {
				digests := make([]cache.Digest, len(in.Inputs))
				for i := range digests {
					digests[i] = cache.Digest{byte(len(in.Env)), 1}
				}
				var fresh Keyer
				want := fresh.Key(in, digests, fullTools...)
				if got := used.Key(in, digests, fullTools...); got != want {
					t.Fatalf("the key of %+v depends on what was keyed before", in)
				}
				if got := used.Components(); !slices.Equal(got, fresh.Components()) {
					t.Fatalf("components of a used Keyer:\n%+v\nand of a new one:\n%+v", got, fresh.Components())
				}
			}
		}
	}
}
