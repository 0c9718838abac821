package scanner

import (
	"cmp"
	"slices"
	"strings"
)

// Explain explains a signal of the finding, like Signal.Explain, in words that fit what
// was judged and where the evidence is: the instructions of a server, for example, are
// no tool.
func (f *Finding) Explain(s *Signal) Explanation {
	e := s.Explain()
	p := placeOf(f.Subject, s.Pointer)
	for _, w := range wordings {
		if w.check == e.ID && slices.Contains(w.places, p) {
			e.Why, e.Do = cmp.Or(w.why, e.Why), cmp.Or(w.do, e.Do)
			break
		}
	}

	if r := nouns[f.Subject]; r != nil {
		e.Why, e.Do = r.Replace(e.Why), r.Replace(e.Do)
	}

	return e
}

// place is a part of what a server says, as far as explanations differ.
type place int

const (
	inDescription place = iota // of whatever it is, and in its parameters
	inArguments                // of a prompt
	inInstructions
	inField // another field, such as _meta
)

// ordinary are the members of definitions that have a field of their own.
var ordinary = []string{"", "name", "title", "description", "inputSchema", "outputSchema", "annotations", "uri",
	"uriTemplate"}

func placeOf(subject Subject, pointer string) place {
	first, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
	switch {
	case first == "arguments" && subject == SubjectPrompt:
		return inArguments
	case subject == SubjectInstructions && (first == "instructions" || first == ""):
		return inInstructions
	case !slices.Contains(ordinary, first):
		return inField
	}
	return inDescription
}

// wordings replace the explanations of checks in some places. They say "the tool" for
// whatever was judged, like all explanations.
var wordings = []struct {
	check   string
	places  []place
	why, do string
}{
	{
		"sentence.classifier", []place{inInstructions},
		"instructions say how to use a server; those that give the model orders about other things " +
			"steer it against the user",
		"Read the sentence. Accept it with a reason if it only says how to use the tool; otherwise ask the author " +
			"to remove it.",
	},
	{
		"sentence.classifier", []place{inField},
		"people are hardly shown this field, and models may read it; orders in it steer the model against the user",
		"Read the sentence. Accept it with a reason if it only describes the tool; otherwise ask the author to " +
			"remove it from this field.",
	},
	{
		"schema.carrier", []place{inField},
		"reviewers skip fields like this, and models may read them",
		"Quarantine the tool until its author has removed the text from this field.",
	},
	{"schema.carrier", []place{inArguments}, "reviewers skip arguments, and models read them",
		"Quarantine the tool until its author has removed the text from its arguments."},
}

// nouns replace the word tool in explanations, by the subject.
var nouns = map[Subject]*strings.Replacer{
	SubjectPrompt:           replacer("prompt"),
	SubjectResource:         replacer("resource"),
	SubjectResourceTemplate: replacer("resource template"),
	// Nobody quarantines the instructions alone.
	SubjectInstructions: replacer("server", "Quarantine the tool", "Disconnect the server", "quarantine the tool",
		"disconnect the server"),
}

func replacer(noun string, first ...string) *strings.Replacer {
	return strings.NewReplacer(append(first,
		"the server of a tool", "a server", // the words of a tripwire
		"the tools", "the tools", // those of others
		"the tool", "the "+noun, "The tool", "The "+noun, "a tool", "a "+noun, "A tool", "A "+noun,
	)...)
}
