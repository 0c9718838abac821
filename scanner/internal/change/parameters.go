package change

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// parameter judges a new parameter by what it asks for.
func (c *comparison) parameter(name string, schema any, required bool) (Level, string) {
	text, err := json.Marshal(map[string]any{"properties": map[string]any{name: schema}})
	if err != nil {
		return Medium, "a new parameter"
	}

	shape, _ := schema.(map[string]any)
	level, why := Low, "a new parameter"
	if d := shape["default"]; d != nil {
		level, why = defaultValue(name, absent{}, d)
	}

	if l, w := c.asks(name, shape, text, required); l > level {
		level, why = l, w
	}

	return level, why
}

// asks judges what a new parameter with a schema asks for. text is the schema of all
// parameters with this one alone.
func (c *comparison) asks(name string, schema map[string]any, text []byte, required bool) (Level, string) {
	level, must := Medium, ""
	if required {
		level, must = High, "required "
	}

	if takesText(schema) {
		asked := reading.Read(&tool.Definition{InputSchema: text})
		asked.Analyze()
		switch {
		case asksForConversation(name, asked):
			return level, "a new " + must + "parameter that takes the conversation"
		case asked.Means().Any(concept.Secret|concept.CredPath) || hasWord(name, private) || isKey(name):
			if required && c.handlesSecrets() {
				return Medium, "a new required parameter for something private"
			}

			return level, "a new " + must + "parameter for something private"
		}
	}

	if required {
		return Medium, "a new required parameter"
	}

	return Low, "a new parameter"
}

// handlesSecrets reports whether the approved definition is about secrets already, as that
// of a login is.
func (c *comparison) handlesSecrets() bool {
	v := reading.Read(c.was)
	v.Analyze()
	return v.Means().Any(concept.Secret)
}

// takesText reports whether a value of a schema can hold more than a switch, a number
// or one of a few words.
func takesText(schema map[string]any) bool {
	switch schema["type"] {
	case "boolean", "integer", "number", "null":
		return false
	}
	return schema["enum"] == nil && schema["const"] == nil
}

// asksForConversation reports whether a parameter takes what the user and the model
// say: by its name, or by a sentence about all of it, about its past, or about
// passing it along.
func asksForConversation(name string, asked *reading.Reading) bool {
	if hasWord(name, conversation) {
		return true
	}
	for i := range asked.Clauses {
		m := asked.Clauses[i].Means
		if m.Has(concept.Conv) && m.Any(concept.Whole|concept.History|concept.Include|concept.Now) {
			return true
		}
	}
	return false
}

// required judges a changed list of required parameters.
func required(was, now any) (Level, string) {
	before, _ := was.([]any)
	after, _ := now.([]any)
	for _, name := range after {
		if !slices.Contains(before, name) {
			return Medium, "a parameter that must be given now"
		}
	}
	return Low, "a parameter that need not be given"
}

// defaultValue judges a changed default of a parameter.
func defaultValue(parameter string, was, now any) (Level, string) {
	switch text, isText := now.(string); {
	case isText && strings.ContainsAny(text, "@") || isText && strings.Contains(text, "://"):
		return High, "a new default recipient"
	case isText && hasWord(parameter, recipients):
		return High, "a new default recipient"
	case now == any(true):
		return Medium, "a switch that is on by default"
	case was == any(absent{}):
		return Low, "a new default"
	}
	return Medium, "another default"
}

// Words of parameter names.
var (
	conversation = []string{"conversation", "transcript", "chat", "dialog", "dialogue", "verlauf", "contexto"}
	recipients   = []string{"payee", "recipient", "account", "to", "destination", "beneficiary", "iban", "bcc", "cc",
		"wallet", "endpoint"}
	private = []string{
		"password", "passwd", "passphrase", "phrase", "pin", "cvv", "otp", "cookie", "cookies", "session",
		"authorization", "bearer", "auth", "apikey",
		"token", "secret", "credentials", "credential", "contacts", "history", "passport", "ssn", "clipboard",
		"keychain", "card", "iban", "wallet",
	}
)

// hasWord reports whether one of some words is part of a name, as in chat_log and chatLog.
func hasWord(name string, words []string) bool {
	var b strings.Builder
	before := ' '
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		before = r
	}
	parts := strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(words, p) })
}

// isKey reports whether a name is that of a secret key.
func isKey(name string) bool {
	return hasWord(name, []string{"key"}) && hasWord(name, []string{"api", "private", "access", "secret"})
}
