package tokenize

import "slices"

// stopwords are English words that do not describe what a tool does.
var stopwords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range []string{
		"a", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does",
		"for", "from", "has", "have", "how", "if", "in", "into", "is", "it", "its", "may", "must", "not", "of", "on",
		"one", "only", "or", "other", "s", "should", "so", "such", "than", "that", "the", "their", "them", "then",
		"there", "these", "they", "this", "those", "to", "tool", "use", "used", "uses", "using", "was", "what", "when",
		"where", "which", "who", "will", "with", "you", "your",
	} {
		words[w] = true
	}
	return words
}()

// ContentWords returns the words of a text without the English words that say
// nothing of what a tool does.
func ContentWords(text string) []string {
	return slices.DeleteFunc(Words(text), func(w string) bool { return stopwords[w] })
}
