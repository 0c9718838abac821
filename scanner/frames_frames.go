package scanner

import (
	"strings"
)

// A frame is a shape that a sentence of an attack has: who is addressed, what
// is demanded, about what. Each finds at most a few hits a sentence; the
// checks add hits up and decide.

// frameID names a frame. The order is that of reporting.
type frameID uint8

const (
	frOverride frameID = iota // ignore what you were told
	frConceal                 // do not let the user know
	frCovert                  // do it silently
	frUnasked                 // without asking the user
	frFirst                   // before any other tool
	frPrefer                  // instead of any other tool
	frMimicry                 // tags and roles of a chat template
	frAddress                 // a note to the model, apart from the documentation
	frRole                    // you are now
	frGuard                   // drop your safety rules
	frPersist                 // from now on, in every answer
	frObey                    // do what the output says
	frMislead                 // tell the user something untrue
	frSecret                  // hand over credentials
	frConv                    // hand over the conversation
	frPrompt                  // hand over the system prompt
	frSend                    // send it outside
	frLink                    // put it in a link
	frSide                    // a parameter that collects what is not its business
	frRedirect                // change where another tool's result goes
	frShadow                  // orders about another server's tool
	frCommand                 // run this command
	frCount
)

var frameNames = [frCount]string{
	"overrides earlier instructions", "hides something from the user", "asks for a silent action",
	"skips the user's consent", "claims precedence over other tools", "steers the choice of tools",
	"imitates chat markup", "addresses the model aside", "assigns a new role", "lifts safety rules",
	"makes an order permanent", "has the model obey data", "has the user misled",
	"demands credentials", "demands the conversation", "demands the system prompt",
	"sends data out", "puts data in a link", "collects data in a side parameter",
	"redirects another tool", "gives orders about another tool", "demands a command",
}

// hit is a frame found in a sentence. weight is evidence: 1 is a hint, 2
// deserves a review, 3 and more is plain.
type hit struct {
	frame      frameID
	weight     float64
	doc        int
	start, end uint32
	// doubted says that the classifier takes the sentence for documentation.
	doubted bool
	// certain hits are not doubted: the words leave no other reading.
	certain bool
}

// frameContext is a sentence under inspection with what stands around it.
type frameContext struct {
	v    *toolReading
	reg  *registry
	d    int
	doc  *doc
	sen  *sentence
	toks []token
	mask concept
	kind fieldKind
	// discount is 1, or less where the sentence talks about attacks.
	discount float64
	// mentioned is what mention found in the sentence sen.
	mentioned struct {
		sen     *sentence
		mention mention
		ok      bool
	}
	// quoted counts the sentences of the text so far that quote attacks.
	quoted int
	// about says what the tool is for, from its name and first sentence.
	about concept
	hits  []hit
	// What was asked of the sentence already: the mood of each token plus
	// one, and whether it names a sink (1 no, 2 yes).
	moods [maxSentence + 1]mood
	// signs are those of the tokens signed.
	signs  signature
	signed []token
	sinks  uint8
}

// enter makes a sentence the one under inspection.
func (x *frameContext) enter(s *sentence) {
	x.sen, x.toks, x.mask = s, x.v.tokens[s.tok0:s.tok1], s.mask
	clear(x.moods[:min(len(x.toks), len(x.moods))])
	x.sinks = 0
	x.discount = 1
}

// frames runs every frame over every sentence.
func (v *toolReading) frames(reg *registry) []hit {
	if v.hitsDone {
		return v.hits
	}
	v.analyze()
	v.continued(reg)
	v.scorer.score(&v.view)
	docs := v.docs
	x := &v.frame
	*x = frameContext{v: v, reg: reg, hits: v.hits[:0], about: v.purpose()}
	for i := range docs {
		if docs[i].read {
			continue
		}
		x.d, x.doc, x.quoted = i, &docs[i], 0
		x.kind = v.fields[docs[i].field].kind
		f := &v.fields[docs[i].field]
		for k := docs[i].sen0; k < docs[i].sen1; k++ {
			s := &v.clauses[k]
			if f.layer == "" && s.score < askScore {
				continue
			}
			n := len(x.hits)
			x.sentence(s)
			x.doubt(s.score, n, f.layer != "")
		}
	}
	v.hits = x.hits
	v.hitsDone = true
	return v.hits
}

const cActs = cIgnore | cTell | cShow | cSend | cInclude | cRead | cCall | cPrefer | cDisable | cPretend |
	cDeceive | cSecretly | cKnow | cAsk | cChange | cPay | cDestroy | cNow | cHistory | cSecret | cCredPath | cSystem | cModel |
	cDo | cGuard | cRule | cInstr | cEnd | cYou | cUser

func (x *frameContext) sentence(s *sentence) {
	m := s.mask
	tag := x.v.tokens[s.tok0].flags&tfTag != 0
	if s.first && (x.kind == kindEnum || x.kind == kindDefault || x.kind == kindExample) {
		x.enter(s)
		x.discount = 1
		x.instructs()
	}
	if s.senses != 0 || s.flags&(tfIdent|tfCode|tfQuote) != 0 {
		x.enter(s)
		x.discount = x.metaDiscount()
		x.readSenses()
	} else {
		x.sen = nil
	}
	if !tag && (!m.any(cActs) || s.tok1-s.tok0 < 2 && !m.any(cCredPath|cHistory)) {
		if m.any(cTarget|cInclude|cMust|cModal) && x.reg != nil {
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
	if !m.any(cTool|cCall|cSend|cPrefer|cNeg|cChange|cRead) && x.identifies() {
		x.shadow()
	}
	if tag || m.any(cModel|cSystem|cUrgent|cUser|cInstr|cSecretly) || x.commented() {
		x.mimicry()
	}
	for i := range sentenceFrames {
		if f := &sentenceFrames[i]; m.any(f.one) && m.any(f.other) {
			f.find(x)
		}
	}
}

// identifies says whether the sentence has an identifier, as names of tools
// are.
func (x *frameContext) identifies() bool {
	for i := range x.toks {
		if x.toks[i].flags&tfIdent != 0 {
			return true
		}
	}
	return false
}

// commented says whether the sentence opens an HTML comment.
func (x *frameContext) commented() bool {
	return strings.HasSuffix(strings.TrimRight(x.doc.text[:x.toks[0].start], " \n"), "<!--")
}

// sentenceFrames lists the frames, each with two sets of concepts: a sentence
// needs at least one of each to be worth asking.
var sentenceFrames = [...]struct {
	one, other concept
	find       func(*frameContext)
}{
	{cIgnore | cDisable, cInstr | cRule | cGuard | cSystem | cUser, (*frameContext).override},
	{cModel, cDeeds | cIgnore | cDisable, (*frameContext).duty},
	{cDeeds | cTell | cIgnore | cDisable, ^concept(0), (*frameContext).prose},
	{cNeg | cTell | cSecretly, cTell | cShow | cKnow | cUser | cSecretly, (*frameContext).conceal},
	{cSecretly, cSend | cRead | cInclude | cCall | cChange | cPay | cDestroy, (*frameContext).covert},
	{cAsk | cAllow, cNeg | cAllow, (*frameContext).unasked},
	{cAsk | cAllow | cEnd | cRule | cGuard, ^concept(0), (*frameContext).granted},
	{cOther, cTool, (*frameContext).precedence},
	{cPretend | cNow | cGuard, ^concept(0), (*frameContext).role},
	{cResult | cMust | cWhen | cShell | cAllow, cInclude | cCall | cPrefer | cTell | cLink | cChange | cDestroy | cSend | cPay | cEnd | cNow, (*frameContext).standing},
	{cDeceive | cTell | cUser, ^concept(0), (*frameContext).deceive},
	{cSecret | cCredPath | cConv | cHistory | cSystem | cPersonal, ^concept(0), (*frameContext).demandData},
	{cSend | cChange | cPrefer | cLink | cInclude, ^concept(0), (*frameContext).sink},
	{cTool | cCall | cSend | cPrefer | cNeg | cChange | cRead, ^concept(0), (*frameContext).shadow},
	{cIgnore | cDisable | cNeg | cNow | cBe, cInstr | cRule | cGuard, (*frameContext).voided},
	{cCall | cInstr | cModal | cYou | cModel, cResult | cTool | cInstr | cSub | cShell, (*frameContext).obeysData},
	{cBefore | cPrior | cPrefer | cIgnore | cAuthority | cAllow, cUser | cSystem | cModel | cInstr | cYou, (*frameContext).outranks},
	{cAsk | cGuard | cKnow | cNeg | cRule, ^concept(0), (*frameContext).presumed},
	{cYou | cModel, ^concept(0), (*frameContext).allegiance},
	{cTell | cShow, cNeg | cTrue, (*frameContext).mislead},
	{cAsk | cGuard | cInstr, ^concept(0), (*frameContext).presumedAbroad},
	{cInclude | cChange | cCall | cSend, cFile | cShell | cCredPath | cSystem | cInstr | cModel | cUser | cTool, (*frameContext).persist},
	{cTell | cShow | cDo | cRead | cInclude | cPay, cBe | cMust | cOther | cUser | cYou | cOutside | cUrgent | cShow | cResult, (*frameContext).misreports},
	{cNeg | cUser | cDo | cSecretly | cOutside, ^concept(0), (*frameContext).unheard},
	{cModel, ^concept(0), (*frameContext).abroad},
	{cAsk | cAllow | cShow | cKnow | cGuard | cSecretly, cTool | cThis | cChange | cSend | cCall | cRead, (*frameContext).deferred},
}

// hit records a find between two tokens of the sentence.
func (x *frameContext) hit(f frameID, weight float64, i, j int) {
	weight *= x.discount
	if weight < 0.25 || x.kind == kindJoined && !survivesJoin(f) && x.v.fields[x.doc.field].layer == fieldsInSequence {
		return
	}
	if i > j {
		i, j = j, i
	}
	i = max(i, 0)
	x.hits = append(x.hits, hit{frame: f, weight: weight, doc: x.d, start: x.toks[i].start, end: x.toks[min(j, len(x.toks)-1)].end})
}

// certainHit is a hit, unless hit leaves it out, that the classifier does not
// doubt.
func (x *frameContext) certainHit(f frameID, weight float64, i, j int) {
	n := len(x.hits)
	x.hit(f, weight, i, j)
	for k := range x.hits[n:] {
		x.hits[n+k].certain = true
	}
}

// survivesJoin says whether a frame means something in texts that were only
// put in sequence: names, targets and links meet there by chance.
func survivesJoin(f frameID) bool {
	switch f {
	case frOverride, frConceal, frCovert, frSecret, frConv, frPrompt, frFirst, frPersist:
		return true
	}
	return false
}

// text is the sentence as it was written, normalised.
func (x *frameContext) text() string { return x.doc.text[x.sen.start:x.sen.end] }

// findAny gives the first token at or after from, before to, that means some
// of want; -1 if there is none.
func (x *frameContext) findAny(want concept, from, to int) int {
	for i := max(from, 0); i < min(to, len(x.toks)); i++ {
		if x.toks[i].c.any(want) {
			return i
		}
	}
	return -1
}

func (x *frameContext) mood(i int) mood {
	if i >= len(x.moods) {
		return moodOf(x.toks, i, x.sen)
	}
	if x.moods[i] == 0 {
		x.moods[i] = moodOf(x.toks, i, x.sen) + 1
	}
	return x.moods[i] - 1
}

// demanded finds a verb of these meanings that is demanded at least so
// strongly, and gives its index and mood; -1 if there is none.
func (x *frameContext) demanded(want concept, least mood) (int, mood) {
	best, at := moodNone, -1
	for i := range x.toks {
		if x.toks[i].c.any(want) {
			if m := x.mood(i); m >= least && m > best {
				best, at = m, i
			}
		}
	}
	return at, best
}
