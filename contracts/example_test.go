package contracts_test

import (
	"fmt"

	"github.com/touchstone-eval/touchstone/contracts"
)

// Decode checks a file against its schema and reports every problem with its
// place.
func ExampleDecode() {
	verdict, err := contracts.Decode[contracts.DetectorVerdict]("verdict.json",
		[]byte(`{"protocol": 1, "id": "x", "flagged": true}`))
	fmt.Println(verdict.Flagged, err)

	_, err = contracts.Decode[contracts.DetectorVerdict]("verdict.json",
		[]byte(`{"protocol": 1, "id": "x", "flaged": true}`))
	fmt.Println(err)
	// Output:
	// true <nil>
	// verdict.json:1:1: entry x: the field "flagged" is missing; add it: Whether the tool is called malicious
	// verdict.json:1:28: entry x: unknown field "flaged"; did you mean "flagged"?
}

// Encode writes the same bytes for the same facts.
func ExampleEncode() {
	b, err := contracts.Encode("verdict.json", contracts.DetectorVerdict{Protocol: contracts.DetectorProtocol, ID: "x"})
	if err != nil {
		panic(err)
	}
	fmt.Print(string(b))
	// Output:
	// {
	//  "protocol": 1,
	//  "id": "x",
	//  "flagged": false
	// }
}

// A stage in another language needs the schemas only.
func ExampleSchema() {
	schema, err := contracts.Schema("detector-verdict")
	fmt.Println(len(schema) > 0, err)
	// Output:
	// true <nil>
}
