variable "secret" {
  sensitive = true
  default   = true
}
variable "none" { default = null }
stage "words" {
  when    = "perhaps" # ERROR: Bad type; when of stage "words" must be true or false
  command = ["x"]
}
stage "null" {
  when    = var.none # ERROR: Bad type; must be true or false
  outputs = { x = "out/x" }
  command = ["x"]
}
stage "reads-null" {
  inputs  = { x = stage.null.x } # silent: the problem is the other stage's
  command = ["x", input.x]
}
stage "secret" {
  when    = var.secret # ERROR: Sensitive value; The condition of stage "secret"
  command = ["x"]
}
stage "output" {
  when    = stage.secret.x == null # ERROR: Reference out of place; Outputs do not exist yet
  command = ["x"]
}
stage "axis" {
  matrix { n = [1, 2] }
  when    = matrix.m == 1 # ERROR: Unknown axis; Did you mean "n"
  command = ["x"]
}
stage "off" { # what does not run is checked, and not evaluated
  when    = false
  inputs  = { x = "does/not/exist" }
  outputs = { x = "out/x" }
  command = ["x", input.y, 1 / 0] # ERROR: Unknown input; "y"
}
stage "demanded" {
  on_demand = true
  outputs   = { x = "out/x" }
  command   = ["x"]
}
stage "often" {
  on_demand = "often" # ERROR: Bad type; The attribute on_demand of stage "often" must be a bool
  command   = ["x"]
}
stage "needs" { # ERROR: Needs a manual stage; the stage "demanded" (line 38)
  inputs  = { x = stage.demanded.x }
  command = ["x", input.x]
}
stage "waits" { # ERROR: Needs a manual stage; Set on_demand = true here too
  depends_on = [stage.demanded]
  command    = ["x"]
}
stage "lists" {
  depends_on = stage.off # ERROR: Bad type; depends_on of stage "lists" must be a literal list of stages
  command    = ["x"]
}
stage "names" {
  depends_on = [
    stage.of,               # ERROR: Unknown stage; Did you mean "off"
    stage.off.x,            # ERROR: Invalid dependency; write stage.NAME
    "off",                  # ERROR: Invalid dependency; write stage.NAME
    include.scoring,        # ERROR: Unknown include; There is no include "scoring"
    var.none,               # ERROR: Invalid dependency
  ]
  command = ["x"]
}
stage "ring" { # ERROR: Cycle of stages; read one another's outputs or wait for one another; ring -> chain -> ring
  depends_on = [stage.chain]
  outputs    = { x = "out/x" }
  command    = ["x"]
}
stage "chain" {
  inputs  = { x = stage.ring.x }
  command = ["x", input.x]
}
stage "itself" { # ERROR: Cycle of stages; itself -> itself
  depends_on = [stage.itself]
  command    = ["x"]
}
