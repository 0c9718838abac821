include "again" {
  source = "../turn/turn.hcl"
}
