package label

import (
	"fmt"
	"slices"
	"sync"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Options describe a session.
type Options struct {
	Pool   contracts.Pool
	Corpus contracts.Corpus
	// Judge names the judge in the exported file.
	Judge string
	// Out is the file to export to. The journal is beside it, with .journal at
	// the end of its name.
	Out string
	// Given are grades of other judges to show, by query and tool. It is nil
	// unless disagreements are settled.
	Given map[string]map[contracts.ToolID][]Given
}

// Session is one judge at work on a pool. It is safe for concurrent use.
type Session struct {
	options Options
	tools   map[contracts.ToolID]*contracts.Tool
	places  map[string]int // item by query
	pairs   int

	mu      sync.Mutex
	journal *journal
	grades  map[pair]int
	// history holds, for each judgement that can be undone, what was before it,
	// also for those of earlier sessions.
	history []previousGrade
}

// pair is a query and a tool.
type pair struct {
	query string
	tool  contracts.ToolID
}

// previousGrade is the grade of a pair before a judgement, or nil.
type previousGrade struct {
	pair
	before *int
}

// Open starts a session, or continues the one whose journal exists.
func Open(o Options) (*Session, error) {
	s := &Session{options: o, tools: map[contracts.ToolID]*contracts.Tool{}, places: map[string]int{},
		grades: map[pair]int{}}
	if o.Pool.CorpusVersion != o.Corpus.Version {
		return nil, fmt.Errorf("the pool is over corpus %q, but this is corpus %q; give the corpus of the pool",
			o.Pool.CorpusVersion, o.Corpus.Version)
	}

	for i := range o.Corpus.Tools {
		s.tools[o.Corpus.Tools[i].ToolID] = &o.Corpus.Tools[i]
	}

	for i, item := range o.Pool.Items {
		if _, twice := s.places[item.ID]; twice {
			return nil, fmt.Errorf("the pool has the query %s twice; make the pool again", item.ID)
		}

		s.places[item.ID] = i
		for _, id := range item.Tools {
			if s.tools[id] == nil {
				return nil, fmt.Errorf("query %s: the corpus has no tool %q; give the corpus of the pool", item.ID, id)
			}
		}

		s.pairs += len(item.Tools)
	}

	if s.pairs == 0 {
		return nil, fmt.Errorf("the pool has no tool to label")
	}

	journal, entries, err := openJournal(o.Out+".journal", header{o.Judge, o.Corpus.Version})
	if err != nil {
		return nil, err
	}

	s.journal = journal
	for _, e := range entries {
		s.replay(e)
	}

	return s, nil
}

// replay does what an entry of the journal says. Judgements of pairs that are no
// longer in the pool cannot be undone.
func (s *Session) replay(e entry) {
	p := pair{e.Query, e.Tool}
	switch n := len(s.history); {
	case e.Undo || e.Relevance == nil:
		if n > 0 && s.history[n-1].pair == p {
			s.history = s.history[:n-1]
		}
	case s.inPool(e.Query, e.Tool):
		s.remember(p)
	}
	s.apply(p, e.Relevance)
}

// remember adds the present grade of a pair to the history.
func (s *Session) remember(p pair) {
	was := previousGrade{pair: p}
	if before, judged := s.grades[p]; judged {
		was.before = &before
	}
	s.history = append(s.history, was)
}

func (s *Session) inPool(query string, tool contracts.ToolID) bool {
	at, known := s.places[query]
	return known && slices.Contains(s.options.Pool.Items[at].Tools, tool)
}

// apply sets or removes a grade in memory.
func (s *Session) apply(p pair, grade *int) {
	if grade == nil {
		delete(s.grades, p)
	} else {
		s.grades[p] = *grade
	}
}

// Close exports the judgements and ends the session.
func (s *Session) Close() error {
	_, err := s.Export()
	s.mu.Lock()
	defer s.mu.Unlock()
	if closed := s.journal.close(); err == nil {
		err = closed
	}
	return err
}

// Progress is how far the judge is. Next is the first item with a pair that is
// not judged, or -1.
type Progress struct {
	Judge string `json:"judge"`
	Items int    `json:"items"`
	Pairs int    `json:"pairs"`
	Done  int    `json:"done"`
	Next  int    `json:"next"`
}

// Progress counts the judgements of the pairs in the pool.
func (s *Session) Progress() Progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Progress{Judge: s.options.Judge, Items: len(s.options.Pool.Items), Pairs: s.pairs, Next: -1}
	for i, item := range s.options.Pool.Items {
		for _, id := range item.Tools {
			if _, done := s.grades[pair{item.ID, id}]; done {
				p.Done++
			} else if p.Next < 0 {
				p.Next = i
			}
		}
	}

	return p
}

// Item is a query with its tools and the judge's own grades.
type Item struct {
	Number   int    `json:"number"`
	ID       string `json:"id"`
	Query    string `json:"query"`
	Language string `json:"language,omitempty"`
	Tools    []Tool `json:"tools"`
}

// Tool is a tool of an item. Relevance is nil until it is judged.
type Tool struct {
	contracts.Tool
	Relevance *int    `json:"relevance"`
	Given     []Given `json:"given,omitempty"`
}

// Item returns the item of that number, from 0. ok is false if there is none.
func (s *Session) Item(number int) (item Item, ok bool) {
	if number < 0 || number >= len(s.options.Pool.Items) {
		return Item{}, false
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.options.Pool.Items[number]
	item = Item{Number: number, ID: of.ID, Query: of.Query, Language: of.Language, Tools: []Tool{}}
	for _, id := range of.Tools {
		tool := Tool{Tool: *s.tools[id], Given: s.options.Given[of.ID][id]}
		if grade, judged := s.grades[pair{of.ID, id}]; judged {
			tool.Relevance = &grade
		}

		item.Tools = append(item.Tools, tool)
	}

	return item, true
}

// Judge saves a grade, 0 to 2, for a tool of a query of the pool.
func (s *Session) Judge(query string, tool contracts.ToolID, grade int) error {
	if !s.inPool(query, tool) {
		return fmt.Errorf("the pool has no tool %q for a query %q", tool, query)
	}

	if grade < 0 || grade > 2 {
		return fmt.Errorf("%d is not a grade: use 0, 1 or 2", grade)
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	p := pair{query, tool}
	if err := s.journal.add(entry{Query: query, Tool: tool, Relevance: &grade}); err != nil {
		return err
	}

	s.remember(p)
	s.apply(p, &grade)
	return nil
}

// Undone is the judgement that Undo took back.
type Undone struct {
	Item int              `json:"item"`
	Tool contracts.ToolID `json:"tool"`
}

// Undo takes back the last judgement, also one of an earlier session. ok is false
// if there is none.
func (s *Session) Undo() (undone Undone, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.history) == 0 {
		return Undone{}, false, nil
	}

	last := s.history[len(s.history)-1]
	if err := s.journal.add(entry{Query: last.query, Tool: last.tool, Relevance: last.before, Undo: true}); err != nil {
		return Undone{}, false, err
	}

	s.history = s.history[:len(s.history)-1]
	s.apply(last.pair, last.before)
	return Undone{s.places[last.query], last.tool}, true, nil
}

// Export writes the judgements to the output file, in the order of the pool, and
// returns how many there are. It writes no file if there are none.
func (s *Session) Export() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := contracts.Judgements{CorpusVersion: s.options.Corpus.Version, Judge: s.options.Judge}
	count := 0
	for _, item := range s.options.Pool.Items {
		q := contracts.JudgedQuery{ID: item.ID, Query: item.Query}
		for _, id := range item.Tools {
			if grade, judged := s.grades[pair{item.ID, id}]; judged {
				q.Labels = append(q.Labels, contracts.Label{ToolID: id, Relevance: grade})
			}
		}

		if len(q.Labels) > 0 {
			j.Judged = append(j.Judged, q)
			count += len(q.Labels)
		}
	}

	if count == 0 {
		return 0, nil
	}

	return count, contracts.Write(s.options.Out, j)
}
