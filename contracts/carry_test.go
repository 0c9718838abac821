package contracts

import (
	"reflect"
	"slices"
	"testing"
)

// ofARun are the fields that a run or the stage that sums up runs fills in.
var ofARun = []string{"Metrics", "Ranked", "Error", "Anomalies"}

// A field that two types of a query have is carried from one to the next.
func TestEveryFieldOfAQueryIsCarried(t *testing.T) {
	query := withAll[Query](t)
	result := withAll[QueryResult](t)
	unanswerable := withAll[UnanswerableResult](t)
	for _, step := range []struct {
		from, to any
		except   []string
	}{
		{query, query.Result(), nil},
		{result, result.Unanswerable(), nil},
		{result, result.Summary(), ofARun},
		{unanswerable, unanswerable.Summary(), ofARun},
	} {
		from, to := reflect.ValueOf(step.from), reflect.ValueOf(step.to)
		for i := range to.NumField() {
			name := to.Type().Field(i).Name
			if !from.FieldByName(name).IsValid() || slices.Contains(step.except, name) {
				continue
			}
			if !reflect.DeepEqual(from.FieldByName(name).Interface(), to.Field(i).Interface()) {
				t.Errorf("%s.%s is not carried to %s", from.Type().Name(), name, to.Type().Name())
			}
		}
	}
}

// withAll returns a value whose fields are all set.
func withAll[T any](t *testing.T) T {
	t.Helper()
	var x T
	v := reflect.ValueOf(&x).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString(v.Type().Field(i).Name)
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Map:
			f.Set(reflect.MakeMap(f.Type()))
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		default:
			t.Fatalf("%s.%s is a %s, which this test cannot fill", v.Type().Name(), v.Type().Field(i).Name, f.Kind())
		}
	}
	return x
}
