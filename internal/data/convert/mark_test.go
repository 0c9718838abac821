package convert

import (
	"strings"
	"testing"

	"github.com/touchstone-eval/touchstone/contracts"
)

// A byte order mark is no part of the first topic.
func TestAByteOrderMarkIsNoPartOfATopic(t *testing.T) {
	topics, err := ReadTopics("topics.tsv", strings.NewReader("\ufeffq1\tdo it\n"))
	if err != nil || len(topics) != 1 || topics[0].ID != "q1" {
		t.Errorf("topics %q, %v", topics, err)
	}

	labels := map[string][]contracts.Label{}
	// Without its head, the first line is a judgement.
	if err := readBEIRQrels(File{"qrels/test.tsv", []byte("\ufeffq1\td1\t1\n")}, "s", labels); err != nil ||
		len(labels["q1"]) != 1 {
		t.Errorf("labels %v, %v", labels, err)
	}
}
