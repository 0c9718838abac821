package contracts

// The files of a run hold a query of the golden set as the result of one run and as a
// summary over all runs. An unanswerable query has a type of its own for each. These
// methods alone copy the fields from one type to the next: a field that two of the
// types have is added here as well.

// Result is a result of the query without an answer.
func (q *Query) Result() QueryResult {
	return QueryResult{ID: q.ID, Query: q.Query, Language: q.Language, Tags: q.Tags, Labels: q.Labels, Notes: q.Notes}
}

// Unanswerable is the result of an unanswerable query. It has no metrics.
func (r *QueryResult) Unanswerable() UnanswerableResult {
	return UnanswerableResult{
		ID: r.ID, Query: r.Query, Language: r.Language, Tags: r.Tags, Labels: r.Labels, Notes: r.Notes,
		Ranked: r.Ranked, Error: r.Error, Anomalies: r.Anomalies,
	}
}

// Summary is a summary of the query over no runs yet.
func (r *QueryResult) Summary() QuerySummary {
	return QuerySummary{ID: r.ID, Query: r.Query, Language: r.Language, Tags: r.Tags, Labels: r.Labels, Notes: r.Notes,
		SharedWords: r.SharedWords}
}

// Summary is a summary of the query over no runs yet.
func (r *UnanswerableResult) Summary() NoAnswerQuery {
	return NoAnswerQuery{ID: r.ID, Query: r.Query, Language: r.Language, Tags: r.Tags}
}
