// Package classifier scores sentences by weights learnt from labelled tools:
// the higher the score, the more a sentence resembles those that attackers
// plant.
//
// It holds the features, the weights (weights.bin) and the sum. The separate
// program scanner/training trains it and uses the same code to make features.
// Package check decides what a score leads to.
package classifier
