package change

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/reading"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// told judges what a text tells that the approved one does not, apart from its words.
func told(was, now string) (Level, string) {
	asked, wasFree := consentIn(was)
	asks, free := consentIn(now)
	switch {
	case unseen(now) > unseen(was):
		return High, "a new invisible character"
	case free && !wasFree:
		return High, "the tool may act without asking the user now"
	case asked && !asks:
		return High, "the tool no longer asks the user"
	case newAddress(was, now):
		return Medium, "a new address"
	}

	return Low, ""
}

// unseen counts the characters that nobody sees. The joiners of scripts that need them,
// and of pictures, do not count.
func unseen(text string) int {
	n := 0
	var before rune
	for _, r := range text {
		switch {
		case (r == '\u200c' || r == '\u200d') && before >= 0x0600:
		case unicode.Is(unicode.Cf, r), unicode.IsControl(r) && !unicode.IsSpace(r),
			slices.Contains([]rune{0x115f, 0x1160, 0x2800, 0x3164, 0xffa0}, r):
			n++
		}

		before = r
	}

	return n
}

// command is a text that a shell would run.
var command = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(^|[\s;&|` + "`" +
		`(/])(rm|curl|wget|bash|sh|zsh|nc|ncat|chmod|dd|mkfs|powershell|iex|eval|sudo|scp|base64|python3?|perl|osascript)\s+\S|\$\(|` + "`" + `[^` + "`" + `]+` + "`" + `|[|;&]\s*(sh|bash)\b`)
})

// values judges changed values of which a model may choose one.
func values(was, now any) (Level, string) {
	before, level, why := shown(was), Low, "other values"
	list, ok := now.([]any)
	if !ok {
		list = []any{now}
	}

	for _, v := range list {
		text, ok := v.(string)
		if !ok || strings.Contains(before, text) {
			continue
		}

		l, w := told(before, text)
		asked := reading.Read(&tool.Definition{Description: text})
		asked.Analyze()
		switch m := asked.Means(); {
		case l == High:
		case command().MatchString(text):
			l, w = High, "a new value that is a command"
		case m.Any(concept.CredPath):
			l, w = High, "a new value that names credentials"
		case newAddress(before, text):
			l, w = High, "a new value that is an address"
		case l == Low && m.Any(concept.Shell|concept.Destroy|concept.Secret):
			l, w = Medium, "a new value that runs, deletes or tells secrets"
		}

		if l > level {
			level, why = l, w
		}
	}

	return level, why
}

// hintDefaults are what MCP assumes about a tool that does not say it.
var hintDefaults = map[string]bool{"readOnlyHint": false, "destructiveHint": true, "idempotentHint": false,
	"openWorldHint": true}

// effective returns the value of an annotation, or what MCP assumes without it.
func effective(name string, v any) any {
	if d, ok := hintDefaults[name]; ok && (v == nil || v == any(absent{})) {
		return d
	}
	return v
}
