package metrics

// Scored is one retrieved document (here a tool) with its score.
type Scored struct {
	ID    string
	Score float64
}
