package frames

import (
	"strings"

	"github.com/touchstone-eval/touchstone/scanner/internal/decode"
	"github.com/touchstone-eval/touchstone/scanner/internal/meaning/concept"
	"github.com/touchstone-eval/touchstone/scanner/internal/token"
	"github.com/touchstone-eval/touchstone/scanner/internal/tool"
)

// A frame is a pattern of sentences in attacks: who is addressed, what is
// demanded, about what. Each finds at most a few hits a sentence. The checks
// add up the hits and decide.

// ID names a frame. The order is that of reporting.
type ID uint8

const (
	Override ID = iota // ignore what you were told
	Conceal            // do not tell the user
	Covert             // do it silently
	Unasked            // without asking the user
	First              // before any other tool
	Prefer             // instead of any other tool
	Mimicry            // tags and roles of a chat template
	Address            // a note to the model, apart from the documentation
	Role               // you are now
	Guard              // drop your safety rules
	Persist            // from now on, in every answer
	Obey               // do what the output says
	Mislead            // tell the user something false
	Secret             // hand over credentials
	Conv               // hand over the conversation
	Prompt             // hand over the system prompt
	Send               // send it outside
	Link               // put it in a link
	Side               // a parameter that collects data that the tool does not need
	Redirect           // change where another tool's result goes
	Shadow             // orders about another server's tool
	Count
)

var Names = [Count]string{
	"overrides earlier instructions", "hides something from the user", "asks for a silent action",
	"skips the user's consent", "claims precedence over other tools", "steers the choice of tools",
	"imitates chat markup", "addresses the model aside", "assigns a new role", "lifts safety rules",
	"makes an order permanent", "has the model obey data", "has the user misled",
	"demands credentials", "demands the conversation", "demands the system prompt",
	"sends data out", "puts data in a link", "collects data in a side parameter",
	"redirects another tool", "gives orders about another tool",
}

// Hit is a frame found in a sentence. weight is evidence: 1 is a hint, 2
// deserves a review, 3 and more is clear.
type Hit struct {
	Frame      ID
	Weight     float64
	Doc        int
	Start, End uint32
	// Doubted is set if the classifier takes the sentence for documentation.
	Doubted bool
	// certain hits are never doubted, because the words have no other meaning.
	certain bool
	// firm hits keep their weight in doubt, but do not quarantine.
	firm bool
}

// passage is the sentence under inspection with its context.
type passage struct {
	v    *Reading
	reg  *tool.Registry
	d    int
	doc  *token.Doc
	sen  *token.Sentence
	toks []token.Token
	mask concept.Set
	kind tool.Kind
	// discount is 1, or less where the sentence talks about attacks.
	discount float64
	// mentioned is the result of mention for the sentence sen.
	mentioned struct {
		sen     *token.Sentence
		mention mention
		ok      bool
	}
	// quoted counts the previous sentences of the text that quote attacks.
	quoted int
	// about returns the meanings of the tool's name and first sentence.
	about concept.Set
	// nameMeans holds the meanings of the tool's name alone.
	nameMeans concept.Set
	hits      []Hit
	// Cached results for the sentence: the mood of each token plus one, and
	// whether it names a sink (1 no, 2 yes).
	moods [token.MaxSentence + 1]token.Mood
	// signs are the signatures of the tokens signed.
	signs  token.Signature
	signed []token.Token
	sinks  uint8
}

// enter starts the inspection of a sentence.
func (x *passage) enter(s *token.Sentence) {
	x.sen, x.toks, x.mask = s, x.v.Tokens[s.Tok0:s.Tok1], s.Means
	clear(x.moods[:min(len(x.toks), len(x.moods))])
	x.sinks = 0
	x.discount = 1
}

// Frames runs every frame over every sentence.
func (v *Reading) Frames(reg *tool.Registry) []Hit {
	if v.hitsDone {
		return v.hits
	}
	v.Analyze()
	v.Scorer.Score(&v.View)
	docs := v.Docs
	x := &v.frame
	*x = passage{v: v, reg: reg, hits: v.hits[:0], about: v.Purpose(), nameMeans: v.NamePurpose()}
	for i := range docs {
		if docs[i].Read {
			continue
		}
		x.d, x.doc, x.quoted = i, &docs[i], 0
		x.kind = v.Fields[docs[i].Field].Kind
		f := &v.Fields[docs[i].Field]
		for k := docs[i].Sen0; k < docs[i].Sen1; k++ {
			s := &v.Clauses[k]
			x.trips(s) // whatever the classifier thinks of the sentence
			if f.Layer == "" && s.Score < askScore {
				continue
			}
			n := len(x.hits)
			x.sentence(s)
			x.doubt(s.Score, n, f.Layer != "")
		}
	}
	v.hits = x.hits
	v.hitsDone = true
	return v.hits
}

const cActs = concept.Ignore | concept.Tell | concept.Show | concept.Send | concept.Include | concept.Read | concept.Call | concept.Prefer | concept.Disable | concept.Pretend |
	concept.Deceive | concept.Secretly | concept.Know | concept.Ask | concept.Change | concept.Pay | concept.Destroy | concept.Now | concept.History | concept.Secret | concept.CredPath | concept.System | concept.Model |
	concept.Do | concept.Guard | concept.Rule | concept.Instr | concept.End | concept.You | concept.User

func (x *passage) sentence(s *token.Sentence) {
	m := s.Means
	tag := x.v.Tokens[s.Tok0].Flags&token.Tag != 0
	if s.First && (x.kind == tool.KindEnum || x.kind == tool.KindDefault || x.kind == tool.KindExample) {
		x.enter(s)
		x.discount = 1
		x.instructs()
	}
	if s.Senses != 0 || s.Flags&(token.Ident|token.Code|token.Quote) != 0 {
		x.enter(s)
		x.discount = x.metaDiscount()
		x.readSenses()
	} else {
		x.sen = nil
	}
	if !tag && (!m.Any(cActs) || s.Tok1-s.Tok0 < 2 && !m.Any(concept.CredPath|concept.History)) {
		if m.Any(concept.Target|concept.Include|concept.Must|concept.Modal) && x.reg != nil {
			if x.sen == nil {
				x.enter(s)
			}
			if x.identifies() {
				x.shadow()
			}
		}
		return
	}
	if x.sen == nil {
		x.enter(s)
		x.discount = x.metaDiscount()
	}
	if !m.Any(concept.Tool|concept.Call|concept.Send|concept.Prefer|concept.Neg|concept.Change|concept.Read) && x.identifies() {
		x.shadow()
	}
	if tag || m.Any(concept.Model|concept.System|concept.Urgent|concept.User|concept.Instr|concept.Secretly) || x.commented() {
		x.mimicry()
	}
	for i := range sentenceFrames {
		if f := &sentenceFrames[i]; m.Any(f.one) && m.Any(f.other) && x.v.without.sentences>>i&1 == 0 {
			f.find(x)
		}
	}
}

// identifies reports whether the sentence has an identifier, like the names of
// tools.
func (x *passage) identifies() bool {
	for i := range x.toks {
		if x.toks[i].Flags&token.Ident != 0 {
			return true
		}
	}
	return false
}

// commented reports whether the sentence opens an HTML comment.
func (x *passage) commented() bool {
	return strings.HasSuffix(strings.TrimRight(x.doc.Text[:x.toks[0].Start], " \n"), "<!--")
}

// sentenceFrame is a frame with two sets of concepts. It is tried if the sentence
// has at least one concept of each.
type sentenceFrame struct {
	one, other concept.Set
	find       func(*passage)
}

// sentenceFrames lists the frames.
var sentenceFrames = []sentenceFrame{
	{concept.Ignore | concept.Disable, concept.Instr | concept.Rule | concept.Guard | concept.System | concept.User, (*passage).override},
	{concept.Model, concept.Deeds | concept.Ignore | concept.Disable, (*passage).duty},
	{concept.Neg | concept.Tell | concept.Secretly, concept.Tell | concept.Show | concept.Know | concept.User | concept.Secretly, (*passage).conceal},
	{concept.Deeds | concept.Tell | concept.Ignore | concept.Disable, ^concept.Set(0), (*passage).prose},
	{concept.Secretly, concept.Send | concept.Read | concept.Include | concept.Call | concept.Change | concept.Pay | concept.Destroy, (*passage).covert},
	{concept.Ask | concept.Allow, concept.Neg | concept.Allow, (*passage).unasked},
	{concept.Ask | concept.Allow | concept.End | concept.Rule | concept.Guard, ^concept.Set(0), (*passage).granted},
	{concept.Other, concept.Tool, (*passage).precedence},
	{concept.Pretend | concept.Now | concept.Guard, ^concept.Set(0), (*passage).role},
	{concept.Result | concept.Must | concept.When | concept.Shell | concept.Allow, concept.Include | concept.Call | concept.Prefer | concept.Tell | concept.Link | concept.Change | concept.Destroy | concept.Send | concept.Pay | concept.End | concept.Now, (*passage).standing},
	{concept.Secret | concept.CredPath | concept.Conv | concept.History | concept.System | concept.Personal, ^concept.Set(0), (*passage).demandData},
	{concept.Send | concept.Change | concept.Prefer | concept.Link | concept.Include, ^concept.Set(0), (*passage).sink},
	{concept.Tool | concept.Call | concept.Send | concept.Prefer | concept.Neg | concept.Change | concept.Read, ^concept.Set(0), (*passage).shadow},
	{concept.Call | concept.Instr | concept.Modal | concept.You | concept.Model, concept.Result | concept.Tool | concept.Instr | concept.Sub | concept.Shell, (*passage).obeysData},
	{concept.Before | concept.Prior | concept.Prefer | concept.Ignore | concept.Authority | concept.Allow, concept.User | concept.System | concept.Model | concept.Instr | concept.You, (*passage).outranks},
	{concept.Ask | concept.Guard | concept.Know | concept.Neg | concept.Rule, ^concept.Set(0), (*passage).presumed},
	{concept.Ask | concept.Guard | concept.Instr, ^concept.Set(0), (*passage).presumedAbroad},
	{concept.Neg | concept.User | concept.Do | concept.Secretly | concept.Outside, ^concept.Set(0), (*passage).unheard},
}

// hit records a hit between two tokens of the sentence.
func (x *passage) hit(f ID, weight float64, i, j int) {
	weight *= x.discount
	if weight < 0.25 || x.kind == tool.KindJoined && !survivesJoin(f) && x.v.Fields[x.doc.Field].Layer == decode.FieldsInSequence {
		return
	}
	if i > j {
		i, j = j, i
	}
	i = max(i, 0)
	x.hits = append(x.hits, Hit{Frame: f, Weight: weight, Doc: x.d, Start: x.toks[i].Start, End: x.toks[min(j, len(x.toks)-1)].End})
}

// certainHit records a hit that the classifier does not doubt, unless hit would
// drop it.
func (x *passage) certainHit(f ID, weight float64, i, j int) {
	n := len(x.hits)
	x.hit(f, weight, i, j)
	for k := range x.hits[n:] {
		x.hits[n+k].certain = true
	}
}

// survivesJoin reports whether a frame is significant in texts that were only
// joined. Names, targets and links occur together there by chance.
func survivesJoin(f ID) bool {
	switch f {
	case Override, Conceal, Covert, Secret, Conv, Prompt, First, Persist:
		return true
	}
	return false
}

// text is the sentence as it was written, normalised.
func (x *passage) text() string { return x.doc.Text[x.sen.Start:x.sen.End] }

// findAny returns the first token from from to before to that has some of the
// meanings want, or -1.
func (x *passage) findAny(want concept.Set, from, to int) int {
	for i := max(from, 0); i < min(to, len(x.toks)); i++ {
		if x.toks[i].Means.Any(want) {
			return i
		}
	}
	return -1
}

func (x *passage) mood(i int) token.Mood {
	if i >= len(x.moods) {
		return token.MoodOf(x.toks, i, x.sen)
	}
	if x.moods[i] == 0 {
		x.moods[i] = token.MoodOf(x.toks, i, x.sen) + 1
	}
	return x.moods[i] - 1
}

// demanded finds a verb with these meanings that is demanded at least as
// strongly as least. It returns its index and mood, or -1 if there is none.
func (x *passage) demanded(want concept.Set, least token.Mood) (int, token.Mood) {
	best, at := token.MoodNone, -1
	for i := range x.toks {
		if x.toks[i].Means.Any(want) {
			if m := x.mood(i); m >= least && m > best {
				best, at = m, i
			}
		}
	}
	return at, best
}
