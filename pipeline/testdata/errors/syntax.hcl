# After a syntax error nothing else is reported: the parser skips what follows.
stage "s" {
  command = ["x"
  outputs = { } # ERROR: Missing item separator
}
stage "t" {
  command = [unknown.thing]
}
