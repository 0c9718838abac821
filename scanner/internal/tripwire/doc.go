// Package tripwire holds the named shapes of well-known attacks, as data, and
// compiles their patterns. It finds nothing by itself: package reading matches the
// patterns against sentences, because it knows who owns a tool, which verbs are
// demanded and which words are only quoted.
//
// A pattern is a sequence of elements in one sentence, separated by blanks:
//
//	ignore|skip   one of these words, in lower case
//	@drop         a word of the set "drop" of the file
//	#tool         a thing of this kind, see Kind
//	..            at most six words between the two elements
//	..12          at most twelve
//	!@run         the word must be demanded of the reader: "run", "you must
//	              run", not "runs" or "to run"
//	!!@run        the same, but not in the opening sentence of a text, which
//	              says what the tool does: "Run a query"
//	@human$       the word must end its sentence, or stand before a comma
//
// Between two elements without ".." only articles and the like may stand. The
// words of an identifier, such as send_email, match no word.
package tripwire
