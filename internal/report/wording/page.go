package wording

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"

	"github.com/touchstone-eval/touchstone/internal/report/pagestyle"
)

//go:embed page.css
var pageRules string

// Style is the style that all reports share.
var Style = pagestyle.Tokens + pageRules

// PageHead is a page up to its body. Its policy allows the style and the
// script, if there is one, by their digests.
func PageHead(title, style, script string) string {
	policy := "default-src 'none'; style-src '" + policyHash(style) + "'"
	if script != "" {
		policy += "; script-src '" + policyHash(script) + "'"
	}

	return fmt.Sprintf(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%s; img-src data:; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>%s</title>
<style>%s</style>
</head>
`, policy, html.EscapeString(title), style)
}

func policyHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// PlainPage replaces the characters that Plain replaces in a page, wherever its
// text comes from, except line feeds and tabs.
func PlainPage(page []byte) []byte {
	return bytes.Map(func(r rune) rune {
		if r == '\r' || r != '\t' && controls(r) {
			return '·'
		}
		return r
	}, page)
}
