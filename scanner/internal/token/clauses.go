package token

// Clause is the end of a clause, which begins where the previous one ends, and
// whether most of its words (at least three) are correctly spelled.
type Clause struct {
	End     int
	Written bool
}

// endClause ends a clause at an offset: after a line break, or after a blank
// that follows a full stop or a colon.
func (z *Tokenizer) endClause(at int) {
	st := z.stats
	mark := Clause{End: at}
	if words := st.Written - z.clauseWritten; words < 3 {
		st.Strange = st.Strange || at-z.clauseStart >= 2*MinRun
	} else if (st.Spelled-z.clauseSpelled)*2 < words {
		st.Strange = true
	} else {
		mark.Written = true
	}

	if at > z.clauseStart {
		z.marks = append(z.marks, mark)
	}

	z.clauseStart, z.clauseWritten, z.clauseSpelled = at, st.Written, st.Spelled
}

// MinRun is the smallest length of a run of letters and digits that may be
// encoded.
const MinRun = 16
