// Package trec reads and writes the two file formats of TREC, qrels
// (judgements) and runs (ranked results), and evaluates runs against qrels. It
// uses the measure names of trec_eval 9.0.7 and reproduces its output to the
// last printed digit.
//
// Fields are separated by ASCII white space, as in trec_eval. trec_eval accepts
// any field that begins with a number. The readers here refuse such a field and
// report its place.
package trec
