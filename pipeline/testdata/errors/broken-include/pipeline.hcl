# Only the included file is wrong: what reads its outputs says nothing more.
include "m" {
  source = "m"
}

stage "reads" {
  inputs     = { x = include.m.x }
  outputs    = { y = "out/y" }
  command    = ["cat", input.x, output.y]
  depends_on = [include.m]
}

output "z" {
  value = include.m.x
}
