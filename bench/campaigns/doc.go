// Command campaigns attacks the real program: it kills it at system calls, lets system
// calls fail, damages the cache, floods it with writers, and feeds it hostile archives.
// After each attack, the next run must give the right bytes, and nothing may be left
// behind.
//
//	bench/run campaigns [-long] [-seed N] [-as UID] [-flags FLAGS] [CAMPAIGN[=TRIALS]...]
//
// Without names it runs every campaign with a few trials. With -long it runs them with
// the trials that docs/explanation/fault-injection.md quotes, which takes hours. It prints one
// line for each campaign and exits with status 1 if one of them found something. A seed
// repeats the choices of an earlier run; the moment at which a choice takes effect still
// depends on the scheduler.
package main
