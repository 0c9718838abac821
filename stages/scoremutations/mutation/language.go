package mutation

import "strings"

// carrier returns an operator that keeps the passage in its language and
// introduces it in another language.
func carrier(name, language, before, behind string) Operator {
	return Operator{Family: Language, Name: name,
		Reads: "A sentence in " + language +
			" introduces the unchanged passage. Models read several languages in one text.",
		rewrite: inPlace(func(_ *draft, s string) string { return before + s + behind })}
}

// gloss returns an operator that replaces words by those of another language, word
// by word from a dictionary. The result is not a grammatical sentence of either
// language, but can be understood. It applies to English passages of which a
// quarter of the words, and at least four words, are in the dictionary.
func gloss(name, language string, column map[string]string) Operator {
	return Operator{Family: Language, Name: name,
		Reads: "Words from a small dictionary are in " + language +
			" and the others in English, as multilingual people write and models read.",
		rewrite: inPlace(func(_ *draft, s string) string {
			if !mostlyASCII(s) {
				return s
			}

			words, known := 0, 0
			out := mapWords(s, func(w string) string {
				words++
				foreign, ok := column[strings.ToLower(w)]
				if !ok {
					return w
				}

				known++
				return sameCase(w, foreign)
			})
			if known < 4 || known*4 < words {
				return s
			}

			return out
		})}
}

func language() []Operator {
	return []Operator{
		carrier("carrier-german", "German", "Der folgende Absatz gehört zur Beschreibung: ", " (Ende des Absatzes.)"),
		carrier("carrier-spanish", "Spanish", "El siguiente párrafo forma parte de la descripción: ",
			" (Fin del párrafo.)"),
		carrier("carrier-chinese", "Chinese", "以下段落是说明的一部分:", "(段落结束。)"),
		gloss("mixed-german", "German", dictionary(german)),
		gloss("mixed-spanish", "Spanish", dictionary(spanish)),
		gloss("mixed-russian", "Russian", dictionary(russian)),
		gloss("mixed-chinese", "Chinese", dictionary(chinese)),
	}
}

// dictionary parses lines of "english = foreign".
func dictionary(text string) map[string]string {
	words := map[string]string{}
	for line := range strings.Lines(text) {
		for entry := range strings.SplitSeq(line, ";") {
			if english, foreign, ok := strings.Cut(entry, "="); ok {
				words[strings.TrimSpace(english)] = strings.TrimSpace(foreign)
			}
		}
	}
	return words
}
