package pipeline

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"go.yaml.in/yaml/v3"

	"github.com/touchstone-eval/touchstone/internal/base/lazyregexp"
)

// readsPart are functions that do not read all of their arguments.
var readsPart = map[string]bool{
	"coalesce": true, "coalescelist": true, "contains": true, "element": true, "index": true, "keys": true,
	"length": true,
	"lookup": true, "one": true, "slice": true,
}

// passThroughFunctions are functions whose result is one of their arguments. The first two evaluate the
// arguments themselves.
var passThroughFunctions = map[string]bool{"can": true, "try": true, "nonsensitive": true, "sensitive": true}

// estimates returns for functions that multiply at least the size in bytes of the result. The
// arguments are known, but may have any type.
var estimates = map[string]func(args []cty.Value) int64{
	"format":     func(args []cty.Value) int64 { return formatted(args, false) },
	"formatlist": func(args []cty.Value) int64 { return formatted(args, true) },
	"indent": func(args []cty.Value) int64 {
		if len(args) < 2 || args[0].Type() != cty.Number {
			return 0
		}
		spaces, accuracy := args[0].AsBigFloat().Int64()
		if accuracy != 0 && spaces > 0 {
			spaces = maxMade + 1
		}
		s := textOf(args, 1)
		return capped(int64(len(s)), times(spaces, int64(strings.Count(s, "\n"))))
	},
	"join": func(args []cty.Value) int64 {
		n := int64(0)
		for _, list := range args[min(1, len(args)):] {
			if list.CanIterateElements() {
				n += times(int64(list.LengthInt()), int64(len(textOf(args, 0))))
				n += sizeOf(list, maxMade)
			}
		}
		return n
	},
	"regexall": func(args []cty.Value) int64 {
		pattern, n := matches(textOf(args, 0), textOf(args, 1))
		if pattern == nil {
			return 0
		}
		return times(n, int64(1+pattern.NumSubexp())*elementSize)
	},
	"regexreplace": func(args []cty.Value) int64 {
		s, to := textOf(args, 0), textOf(args, 2)
		pattern, n := matches(textOf(args, 1), s)
		if pattern == nil {
			return 0
		}
		return capped(times(n, int64(len(to))), times(int64(len(s)), int64(1+strings.Count(to, "$"))))
	},
	"replace": func(args []cty.Value) int64 {
		s, to := textOf(args, 0), textOf(args, 2)
		return capped(int64(len(s)), times(int64(strings.Count(s, textOf(args, 1))), int64(len(to))))
	},
	"setproduct": func(args []cty.Value) int64 {
		n := int64(elementSize) * int64(len(args)+1)
		for _, a := range args {
			if !a.CanIterateElements() {
				return 0
			}
			n = times(n, int64(a.LengthInt()))
		}
		return n
	},
	"split": func(args []cty.Value) int64 {
		return times(int64(strings.Count(textOf(args, 1), textOf(args, 0))), elementSize)
	},
}

// times multiplies without overflow: a product beyond the limit is just beyond it.
func times(a, b int64) int64 {
	if a > 0 && b > maxMade/a {
		return maxMade + 1
	}
	return a * b
}

func capped(a, b int64) int64 { return min(a+b, maxMade+1) }

// textOf returns an argument that is a string.
func textOf(args []cty.Value, i int) string {
	if i >= len(args) || args[i].Type() != cty.String {
		return ""
	}
	return args[i].AsString()
}

// matches compiles a pattern and counts its matches.
func matches(pattern, s string) (*regexp.Regexp, int64) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, 0 // the function reports it
	}
	return re, int64(len(re.FindAllStringIndex(s, maxMade/elementSize+1)))
}

// verb is a verb of format with its numbers: an argument, a width, a precision.
var verb = lazyregexp.New(`%[-+ #0-9.\[\]]*`)

var number = lazyregexp.New(`[0-9]+`)

// formatted returns at least the size of the result of format or formatlist. Each verb writes at most
// all arguments.
func formatted(args []cty.Value, list bool) int64 {
	template := textOf(args, 0)
	verbs, width := int64(0), int64(len(template))
	for _, v := range verb().FindAllString(template, -1) {
		verbs++
		for _, digits := range number().FindAllString(v, -1) {
			n, err := strconv.ParseInt(digits, 10, 32)
			if err != nil {
				n = maxMade + 1
			}

			width = capped(width, n)
		}
	}

	length, elements, single := int64(1), int64(0), int64(0)
	for _, a := range args[min(1, len(args)):] {
		if n := sizeOf(a, maxMade); list && a.CanIterateElements() && !a.Type().IsObjectType() &&
			!a.Type().IsMapType() {
			elements += n
			length = max(length, int64(a.LengthInt()))
		} else {
			single += n
		}
	}

	return capped(times(length, width), times(verbs, capped(elements, times(length, single))))
}

// checkYAMLAliases refuses a text whose aliases multiply its size. The decoder shares what an alias
// stands for, but comparing its types takes as long as if it was written out.
func checkYAMLAliases(src []byte) error {
	if !strings.Contains(string(src), "*") {
		return nil
	}

	var doc yaml.Node
	if yaml.Unmarshal(src, &doc) != nil {
		return nil // the decoder reports it
	}

	sizes := map[*yaml.Node]int64{}
	var measure func(n *yaml.Node) int64
	measure = func(n *yaml.Node) int64 {
		if n.Kind == yaml.AliasNode {
			n = n.Alias
		}

		if size, known := sizes[n]; known {
			return size
		}

		sizes[n] = maxMade + 1 // of an alias within what it stands for
		size := int64(elementSize + len(n.Value))
		for _, c := range n.Content {
			size = capped(size, measure(c))
		}

		sizes[n] = size
		return size
	}
	if measure(&doc) > maxMade {
		return errAliases
	}

	return nil
}
