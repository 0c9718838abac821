// Package trec reads and writes the two file formats of TREC, qrels
// (judgements) and runs (ranked results), and evaluates one against the other
// with the measure names and to the last printed digit of trec_eval 9.0.7.
//
// Fields are separated by ASCII white space, as for trec_eval. Unlike
// trec_eval, which takes whatever number a field begins with, the readers
// refuse what they do not understand and say where it stands.
package trec
