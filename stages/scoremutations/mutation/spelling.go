package mutation

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// respelled returns an operator that rewrites words and keeps what has to be
// exact, such as paths and code.
func respelled(name, reads string, f func(d *draft, word string) string) Operator {
	return Operator{Family: Spelling, Name: name, Reads: reads +
		" Paths, addresses, code and names in quotes are not changed.",
		rewrite: inPlace(func(d *draft, s string) string {
			return mapWords(s, func(w string) string { return f(d, w) })
		})}
}

// latinWord reports whether a word consists of ASCII letters, at least n of them.
func latinWord(w string, n int) bool {
	return len(w) >= n && !strings.ContainsFunc(w,
		func(r rune) bool { return r >= utf8.RuneSelf || !unicode.IsLetter(r) })
}

var leet = strings.NewReplacer("a", "4", "e", "3", "i", "1", "o", "0", "s", "5", "t", "7", "A", "4", "E", "3", "I", "1",
	"O", "0", "S", "5", "T", "7")

// swapped exchanges two adjacent letters inside a word.
func swapped(d *draft, w string) string {
	if !latinWord(w, 4) {
		return w
	}
	at := 1 + d.random.below(len(w)-3)
	b := []byte(w)
	b[at], b[at+1] = b[at+1], b[at]
	return string(b)
}

func spelling() []Operator {
	return []Operator{
		respelled("leet", "Six letters become the digits that look like them, which models read fluently.",
			func(_ *draft, w string) string {
				if !latinWord(w, 2) {
					return w
				}

				return leet.Replace(w)
			}),
		respelled("swapped-letters", "Two adjacent letters inside each word of four letters or more are swapped. "+
			"The first and last letter stay.", swapped),
		{Family: Spelling, Name: "flipped-words",
			Reads: "Each word is written backwards, and a note says so. Paths, addresses, code and names in quotes " +
				"are not changed.",
			rewrite: inPlace(func(d *draft, s string) string {
				flipped := mapWords(s, func(w string) string {
					if !latinWord(w, 2) {
						return w
					}

					return reversed(w)
				})
				if flipped == s {
					return s
				}

				return noted(d, "each word backwards", flipped)
			})},
		respelled("spaced-letters", "A space is inserted between the letters of each word, and two more between words.",
			func(_ *draft, w string) string {
				return " " + strings.Join(strings.Split(w, ""), " ") + " "
			}),
		respelled("random-case", "Each letter is randomly upper or lower case.", func(d *draft, w string) string {
			return strings.Map(func(r rune) rune {
				if d.random.below(2) == 0 {
					return unicode.ToUpper(r)
				}

				return unicode.ToLower(r)
			}, w)
		}),
		respelled("lost-vowel", "One inner vowel is removed from each word of five letters or more.",
			func(d *draft, w string) string {
				if !latinWord(w, 5) {
					return w
				}

				var at []int
				for i := 1; i < len(w)-1; i++ {
					if strings.ContainsRune("aeiou", rune(w[i])) {
						at = append(at, i)
					}
				}

				if len(at) == 0 {
					return w
				}

				i := at[d.random.below(len(at))]
				return w[:i] + w[i+1:]
			}),
	}
}
