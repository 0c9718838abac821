package pipeline

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/touchstone-eval/touchstone/internal/base/closest"
)

// content is a block's body after it was checked against its schema. It only holds what the
// schema allows. If a block occurs more often than allowed, it holds the first.
type content struct {
	attrs  map[string]*hclsyntax.Attribute
	free   []*hclsyntax.Attribute // in source order
	blocks []*hclsyntax.Block     // in source order
}

// expr returns the expression of an attribute, or nil if it is not set.
func (c *content) expr(name string) hclsyntax.Expression {
	if a := c.attrs[name]; a != nil {
		return a.Expr
	}
	return nil
}

// nested returns the only block of a type, or nil.
func (c *content) nested(name string) *hclsyntax.Block {
	for _, b := range c.blocks {
		if b.Type == name {
			return b
		}
	}
	return nil
}

// decode checks the static structure of a body. what names the body in messages ("the
// pipeline file", `stage "x"`).
func (l *module) decode(body *hclsyntax.Body, schema *block, what string, at hcl.Range) *content {
	c := &content{attrs: make(map[string]*hclsyntax.Attribute, len(body.Attributes))}
	attrs := make([]*hclsyntax.Attribute, 0, len(body.Attributes))
	for _, a := range body.Attributes {
		attrs = append(attrs, a)
	}

	slices.SortFunc(attrs, func(a, b *hclsyntax.Attribute) int {
		return a.SrcRange.Start.Byte - b.SrcRange.Start.Byte
	})
	misspelt := map[string]bool{} // attributes that another name was meant for
	for _, a := range attrs {
		switch {
		case schema.attr(a.Name) != nil:
			c.attrs[a.Name] = a
		case schema.free != nil:
			c.free = append(c.free, a)
		case schema.block(a.Name) != nil:
			l.errorf(a.NameRange, "Block written as attribute",
				"In %s, %q is a block: write %s { ... } without the equals sign.", what, a.Name, a.Name)
		default:
			misspelt[closest.To(a.Name, schema.names())] = true
			l.errorf(a.NameRange, "Unknown attribute", "%s has no attribute %q.%s It may contain %s.",
				capital(what), a.Name, schema.meant(a.Name), allOf(schema.names()))
		}
	}

	first := map[string]*hclsyntax.Block{}
	for _, b := range body.Blocks {
		nested := schema.block(b.Type)
		switch {
		case nested == nil && (schema.attr(b.Type) != nil || schema.free != nil):
			l.errorf(b.TypeRange, "Attribute written as block",
				"In %s, %q is an attribute: write %s = { ... } with an equals sign.", what, b.Type, b.Type)
			continue
		case nested == nil:
			l.errorf(b.TypeRange, "Unknown block", "%s has no block %q.%s It may contain %s.",
				capital(what), b.Type, schema.meant(b.Type), allOf(schema.names()))
			continue
		case first[b.Type] != nil && !nested.repeat:
			l.errorf(b.DefRange(), "Duplicate block", "%s already has a %s block, at line %d. Merge the two.",
				capital(what), b.Type, first[b.Type].TypeRange.Start.Line)
			continue
		}

		if !l.checkLabels(b, nested) {
			continue
		}

		if first[b.Type] == nil {
			first[b.Type] = b
		}

		c.blocks = append(c.blocks, b)
	}

	for _, a := range schema.attrs {
		if a.required && c.attrs[a.name] == nil && !misspelt[a.name] {
			first, _, _ := strings.Cut(a.doc, ". ")
			l.errorf(at, "Missing attribute", "%s needs %q (%s). %s.", capital(what), a.name, a.typ,
				strings.ReplaceAll(strings.TrimSuffix(first, "."), "`", ""))
		}
	}

	return c
}

// otherWords are names that other languages have for what a block contains, with what to write instead.
var otherWords = map[string]map[string]string{
	"stage": {
		"for_each": "matrix { NAME = [...] }", "foreach": "matrix { NAME = [...] }",
		"count":    "matrix { NAME = range(COUNT) }",
		"strategy": "matrix { NAME = [...] }", "environment": "env", "variables": "env", "cmd": "command",
		"run":    "command",
		"script": `command = ["sh", "-c", "..."]`, "needs": "depends_on", "requires": "depends_on", "if": "when",
	},
	"include": {
		"for_each": "matrix { NAME = [...] }", "foreach": "matrix { NAME = [...] }",
		"count": "matrix { NAME = range(COUNT) }", "variables": "inputs", "vars": "inputs",
	},
}

// meant returns a sentence that says what a name in a block stands for, with a leading space, or "".
func (b *block) meant(name string) string {
	if instead := otherWords[b.name][name]; instead != "" {
		return " Write " + instead + "."
	}
	return didYouMean(name, b.names())
}

func (l *module) checkLabels(b *hclsyntax.Block, schema *block) bool {
	want := 0
	if schema.label != "" {
		want = 1
	}

	switch {
	case len(b.Labels) < want:
		l.errorf(b.TypeRange, "Missing name", "A %s block needs a name: write %s \"NAME\" { ... }.", b.Type, b.Type)
		return false
	case len(b.Labels) > want:
		l.errorf(b.LabelRanges[want], "Extra label", "A %s block has at most %d labels; remove %q.", b.Type, want,
			b.Labels[want])
		return false
	case want == 1 && !validName(b.Labels[0]):
		l.errorf(b.LabelRanges[0], "Invalid name",
			"%q is not a valid name for a %s: a name starts with a letter and contains only letters, digits, \"-\" "+
				"and \"_\", at most %d in total.", b.Labels[0], b.Type, maxName)
		return false
	}

	return true
}

// maxName limits the length of names, which become parts of file names.
const maxName = 100

// validName reports whether a name is valid for a stage, variable, local, axis, input or
// output: names are used in expressions and as file names.
func validName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '-' && r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return true
}

// capital returns s with its first letter in upper case.
func capital(s string) string {
	if word, _, _ := strings.Cut(s, " "); strings.ContainsAny(strings.TrimRight(word, ".:,"), `./\`) {
		return s // the name of a file
	}
	if s != "" && s[0] >= 'a' && s[0] <= 'z' {
		return string(s[0]-'a'+'A') + s[1:]
	}
	return s
}
