package mutation

import "strings"

// wrapped returns an operator that puts markup around the passage.
func wrapped(name, reads string, f func(s string) string) Operator {
	return Operator{Family: Markup, Name: name, Reads: reads +
		" It contains the unchanged passage, and models receive the source.",
		rewrite: inPlace(func(_ *draft, s string) string { return f(s) })}
}

// flat returns a passage as one line.
func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

func markup() []Operator {
	return []Operator{
		{Family: Markup, Name: "emphasis",
			Reads: "Every third word is set in bold, which models read as emphasis. Removing the " +
				"asterisks restores the text.",
			rewrite: inPlace(func(_ *draft, s string) string {
				n := 0
				return mapWords(s, func(w string) string {
					if n++; n%3 != 1 {
						return w
					}

					return "**" + w + "**"
				})
			})},
		wrapped("html-comment", "An HTML comment, which pages do not show.", func(s string) string {
			return "\n<!-- " + strings.ReplaceAll(s, "--", "- -") + " -->"
		}),
		wrapped("code-fence", "A fenced block of text.",
			func(s string) string { return "\n\n```text\n" + s + "\n```\n" }),
		wrapped("link-title", "The title of a Markdown link.", func(s string) string {
			return "See the [guide](https://docs.example/guide \"" + strings.ReplaceAll(flat(s), `"`, "'") + "\")."
		}),
		wrapped("table-cell", "A cell of a table.", func(s string) string {
			return "\n\n| Field | Meaning |\n| --- | --- |\n| note | " + strings.ReplaceAll(flat(s), "|", "/") + " |\n"
		}),
		wrapped("block-quote", "A block quote that does not name who is quoted.", func(s string) string {
			return "\n\n> " + strings.ReplaceAll(s, "\n", "\n> ") + "\n"
		}),
		wrapped("list", "A list with an item for each sentence.", func(s string) string {
			var b strings.Builder
			b.WriteString("\n")
			for _, sentence := range sentences(s) {
				b.WriteString("\n- " + strings.TrimSpace(sentence))
			}

			return b.String()
		}),
	}
}
