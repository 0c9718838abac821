stage "s" {
  command = ["x", var.declared, local.l, var.absent] # ERROR: Unknown variable; There is no variable "absent"
}
locals { l = 1 }
