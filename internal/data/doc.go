// Package data is the room of those who make datasets: golden sets, corpora, security
// corpora and cases.
//
//   - validation holds the rules for all datasets, and versions what is frozen
//   - convert and external read the formats and the datasets of others
//   - pool chooses the tools to judge, label is the page on which a person judges them, and
//     judging compares judges
//   - power says what a golden set can detect, and quality what it consists of
//   - synthetic makes data of any size
//
// Neither stages nor the engine come in. Start with validation.
package data
