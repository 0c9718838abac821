package scanner

// A frame is a shape that a sentence of an attack has: who is addressed, what
// is demanded, about what. Each finds at most one hit a sentence; the checks
// add hits up and decide.

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
	frRole                    // you are now
	frGuard                   // drop your safety rules
	frPersist                 // from now on, in every answer
	frSecret                  // hand over credentials
	frConv                    // hand over the conversation
	frPrompt                  // hand over the system prompt
	frSend                    // send it outside
	frLink                    // put it in a link
	frSide                    // a parameter that collects what is not its business
	frRedirect                // change where another tool's result goes
	frShadow                  // orders about another server's tool
	frCommand                 // run this command first
	frPretext                 // an error or a rule that demands it
	frHijack                  // when the user asks for that, do this
	frMislead                 // tell the user something untrue
	frCount
)

var frameNames = [frCount]string{
	"overrides earlier instructions", "hides something from the user", "asks for a silent action",
	"skips the user's consent", "claims precedence over other tools", "steers the choice of tools",
	"imitates chat markup", "assigns a new role", "lifts safety rules", "makes an order permanent",
	"demands credentials", "demands the conversation", "demands the system prompt",
	"sends data out", "puts data in a link", "collects data in a side parameter",
	"redirects another tool", "gives orders about another tool", "demands a command",
	"demands under a pretext", "hijacks another request", "has the user misled",
}

// hit is a frame found in a sentence. weight is evidence: 1 is a hint, 2
// deserves a review, 3 and more is plain.
type hit struct {
	frame      frameID
	weight     float64
	doc        int
	start, end uint32
}

// frameContext is a sentence under inspection with what stands around it.
type frameContext struct {
	v    *ToolView
	d    int
	doc  *doc
	sen  *sentence
	toks []token
	mask concept
	kind fieldKind
	// discount is 1, or less where the sentence talks about attacks.
	discount float64
	// about says what the tool is for, from its name and first sentence.
	about concept
	hits  []hit
}

// frames runs every frame over every sentence.
func (v *ToolView) frames() []hit {
	if v.hitsDone {
		return v.hits
	}
	docs := v.analyze()
	x := frameContext{v: v, hits: v.hits[:0], about: v.purpose()}
	for i := range docs {
		x.d, x.doc = i, &docs[i]
		x.kind = v.fields[docs[i].field].kind
		for s := docs[i].sen0; s < docs[i].sen1; s++ {
			x.sentence(&v.clauses[s])
		}
	}
	v.hits = x.hits
	v.hitsDone = true
	return v.hits
}

// purpose is what the name of the tool and the opening of its description
// speak of: a tool named summarize_conversation may ask for one.
func (v *ToolView) purpose() concept {
	var c concept
	for i := range v.docs {
		d := &v.docs[i]
		switch v.fields[d.field].kind {
		case kindName:
			for _, t := range v.tokens[d.tok0:d.tok1] {
				c |= t.c
			}
		}
	}
	return c
}

func (x *frameContext) sentence(s *sentence) {
	m := s.mask
	// A sentence without a verb that a frame knows is not worth a look.
	if !m.any(cIgnore | cTell | cShow | cSend | cInclude | cRead | cCall | cPrefer | cDisable | cPretend |
		cSecretly | cKnow | cAsk | cChange | cPay | cDestroy | cNow | cMust | cHistory | cSecret | cCredPath | cSystem) {
		return
	}
	x.sen, x.toks, x.mask = s, x.v.tokens[s.tok0:s.tok1], m
	x.discount = x.metaDiscount()
	for _, frame := range sentenceFrames {
		if m.any(frame.needs) {
			frame.find(x)
		}
	}
}

// sentenceFrames lists the frames with the concepts of which a sentence needs
// at least one.
var sentenceFrames = []struct {
	needs concept
	find  func(*frameContext)
}{
	{cIgnore | cDisable, (*frameContext).override},
	{cNeg | cTell | cSecretly | cKnow, (*frameContext).conceal},
	{cOther | cTool, (*frameContext).precedence},
	{cPretend | cNow, (*frameContext).role},
	{cSecret | cCredPath | cConv | cHistory | cSystem, (*frameContext).demandData},
}

// hit records a find between two tokens of the sentence.
func (x *frameContext) hit(f frameID, weight float64, i, j int) {
	weight *= x.discount
	if weight < 0.3 {
		return
	}
	if i > j {
		i, j = j, i
	}
	x.hits = append(x.hits, hit{f, weight, x.d, x.toks[i].start, x.toks[min(j, len(x.toks)-1)].end})
}

// metaDiscount lowers what stands in a sentence that speaks about attacks
// rather than commits one: quoted words, words after "detects", "such as".
func (x *frameContext) metaDiscount() float64 {
	if !x.mask.any(cMeta) {
		return 1
	}
	meta, quoted := 0, 0
	firstMeta := -1
	for i, t := range x.toks {
		if t.c.any(cMeta) {
			meta++
			if firstMeta < 0 {
				firstMeta = i
			}
		}
		if t.flags&(tfQuote|tfCode) != 0 {
			quoted++
		}
	}
	switch {
	case quoted > 0 && meta > 0:
		return 0.15
	case meta >= 2:
		return 0.3
	}
	return 0.7
}

// find gives the first token at or after from, before to, that means all of
// want; -1 if there is none.
func (x *frameContext) find(want concept, from, to int) int {
	for i := max(from, 0); i < min(to, len(x.toks)); i++ {
		if x.toks[i].c.has(want) {
			return i
		}
	}
	return -1
}

// findAny is find for some of want.
func (x *frameContext) findAny(want concept, from, to int) int {
	for i := max(from, 0); i < min(to, len(x.toks)); i++ {
		if x.toks[i].c.any(want) {
			return i
		}
	}
	return -1
}

func (x *frameContext) mood(i int) mood { return moodOf(x.toks, i, x.sen) }

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
