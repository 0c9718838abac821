// Package pagestyle holds what all pages share: the colours, in light and dark.
package pagestyle

import _ "embed"

// Tokens is a style sheet that defines the colours as custom properties.
//
//go:embed tokens.css
var Tokens string
