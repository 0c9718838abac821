package change

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// judge says how bad a changed value is, by its place.
func (c *comparison) judge(pointer string, was, now any) (Level, string) {
	parts := strings.Split(pointer, "/")
	if len(parts) < 2 {
		return Medium, "no object"
	}

	part, last := parts[1], parts[len(parts)-1]
	switch {
	case part == "annotations":
		return c.hint(last, was, now)
	case c.now.Subject == tool.Instructions && pointer == "/serverInfo/version":
		return Note, "another version"
	case c.now.Subject == tool.Instructions && pointer == "/serverInfo/name":
		return Medium, "another name of the server"
	case last == "required" && part == "arguments":
		if now == any(true) {
			return Medium, "an argument that must be given now"
		}

		return Low, "an argument that need not be given"
	case part == "inputSchema" || part == "outputSchema":
		if level, why := c.keyword(parts, was, now); why != "" {
			return level, why
		}
	case now == any(absent{}):
		return Low, "it is gone"
	case last == "enum":
		return values(was, now)
	case last == "default" && len(parts) > 2:
		return defaultValue(parts[len(parts)-2], was, now)
	}

	why := "another value"
	if _, ok := now.(string); ok {
		why = "other words"
	}

	if level, why := told(shown(was), shown(now)); level > Low {
		return level, why
	}

	return Low, why
}

// limits are the keywords of JSON Schema that bound a value.
var limits = []string{"enum", "const", "pattern", "format", "maximum", "exclusiveMaximum", "maxLength", "maxItems"}

// keyword judges a changed value in a schema by the keyword whose value it is. It says ""
// if that does not matter.
func (c *comparison) keyword(parts []string, was, now any) (level Level, why string) {
	output := parts[1] == "outputSchema"
	last, parent := parts[len(parts)-1], parts[len(parts)-2]
	named := parent == "properties" // a parameter or a field of a result, whatever its name
	switch {
	case last == "$schema" && !named && isDialect(was) && isDialect(now):
		return Note, "another version of JSON Schema"
	case now == any(absent{}) && slices.Contains(limits, last) && !named && !output:
		return Medium, "a limit is gone"
	case now == any(absent{}):
		return Low, "it is gone"
	case named && output:
	case named && was == any(absent{}):
		var shape struct{ Required []string }
		_ = json.Unmarshal(c.now.InputSchema, &shape) // what is not JSON requires nothing
		return c.parameter(last, now, slices.Contains(shape.Required, last))
	case named:
	case last == "required" && output:
		return Low, "other fields that a result always has"
	case last == "required":
		return required(was, now)
	case last == "default":
		return defaultValue(parent, was, now)
	case last == "type" && was == any(absent{}):
		return Low, "a new type"
	case last == "type":
		return Medium, "another type"
	case last == "enum", parent == "enum":
		return values(was, now)
	}

	return Low, ""
}

// isDialect reports whether a value names a version of JSON Schema, or none.
func isDialect(v any) bool {
	switch v {
	case any(absent{}), "http://json-schema.org/schema#", "http://json-schema.org/draft-04/schema#",
		"http://json-schema.org/draft-06/schema#", "http://json-schema.org/draft-07/schema#",
		"https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema":
		return true
	}
	return false
}

// safeHints are the values of annotations on which clients skip the user's consent.
var safeHints = map[string]bool{"readOnlyHint": true, "destructiveHint": false, "openWorldHint": false}

// harmful are the powers in the name of a tool that no annotation talks away.
const harmful = concept.Destroy | concept.Pay

// hint judges a changed annotation. A tool that calls itself safe now is not asked about any more: if it said
// otherwise before, or has a name that is not safe, a reviewer has to know why. A tool that said nothing before may
// just describe itself at last.
func (c *comparison) hint(name string, was, now any) (Level, string) {
	safe, known := safeHints[name]
	if known && now == any(safe) {
		why := "the tool calls itself safe now, and clients no longer ask the user"
		if was != any(absent{}) && was != nil {
			return High, why
		}

		v := reading.Read(&tool.Definition{Name: c.now.Name})
		v.Analyze()
		if v.Purpose().Any(harmful) {
			return High, why
		}

		return Medium, why
	}

	switch {
	case name == "readOnlyHint":
		return High, "the tool no longer says that it only reads"
	case name == "destructiveHint":
		return Medium, "the tool says that it may destroy something now"
	case name == "openWorldHint":
		return Medium, "the tool may contact the outside now"
	}

	return Low, "another annotation"
}
