package main

import "dagger/touchstone/internal/dagger"

// Variables of the planner with the values of secrets. Other variables refer to them.
const (
	authorizationVariable = "TOUCHSTONE_MODULE_AUTHORIZATION"
	signVariable          = "TOUCHSTONE_MODULE_SIGN"
)

// remoteVariables returns the variables for a cache that machines share. What is not given is the pipeline's.
func remoteVariables(cache, mode string, authorization, sign *dagger.Secret) []Variable {
	var list []Variable
	add := func(name, value string) {
		if value != "" {
			list = append(list, Variable{Name: name, Value: value})
		}
	}
	add("TOUCHSTONE_REMOTE_CACHE", cache)
	add("TOUCHSTONE_REMOTE_MODE", mode)
	if authorization != nil {
		add("TOUCHSTONE_REMOTE_HEADER", "authorization=env:"+authorizationVariable)
		list = append(list, Variable{Name: authorizationVariable, Secret: authorization})
	}

	if sign != nil {
		add("TOUCHSTONE_REMOTE_SIGN", "env:"+signVariable)
		list = append(list, Variable{Name: signVariable, Secret: sign})
	}

	return list
}
