locals {
  a = local.b      # ERROR: Cycle of locals; local.a -> local.b -> local.c -> local.a
  b = local.c
  c = [local.a]
  d = local.d      # ERROR: Cycle of locals; local.d -> local.d
  e = local.a      # depends on a cycle, is on none
  f = upper(local.e)
}
stage "one" {      # ERROR: Cycle of stages; one -> three -> two -> one  # ERROR: Cycle of stages; one -> two -> one
  inputs  = { x = stage.two.x, y = stage.three.x }
  outputs = { x = "out/x" }
  command = ["x", input.x]
}
stage "two" {
  inputs  = { x = stage.one.x }
  outputs = { x = "out/x" }
  command = ["x"]
  timeout = "soon" # ERROR: Invalid duration; "soon"
}
stage "three" {
  inputs  = { x = stage.two.x }
  outputs = { x = "out/x" }
  command = ["x"]
}
stage "self" {     # ERROR: Cycle of stages; self -> self
  matrix { n = [1, 2] }
  inputs  = { x = stage.self["n=1"].x }
  outputs = { x = "out/x" }
  command = ["x"]
}
stage "behind" {
  inputs  = { x = stage.one.x, y = stage.self.x }
  command = ["x", input.x, local.e]
}
