// Package classifier scores sentences by weights that were learnt from labelled
// tools: the higher a score, the more the sentence is like those that attackers
// plant.
//
// It holds the features, the weights (weights.bin) and the sum. Training is a
// program of its own, scanner/training, which makes features by the same code. What
// a score leads to is for frames and check to say.
package classifier
