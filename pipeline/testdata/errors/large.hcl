# Values that multiply end with a diagnostic at the place where they become too large, not with
# the end of the process.

locals {
  thousand  = range(1000)
  text      = join("", [for i in local.thousand : "0123456789"])
  doubled_1 = [local.text, local.text]
  doubled_2 = [local.doubled_1, local.doubled_1, local.doubled_1, local.doubled_1, local.doubled_1, local.doubled_1, local.doubled_1, local.doubled_1]
  doubled_3 = [local.doubled_2, local.doubled_2, local.doubled_2, local.doubled_2, local.doubled_2, local.doubled_2, local.doubled_2, local.doubled_2]
  doubled_4 = [local.doubled_3, local.doubled_3, local.doubled_3, local.doubled_3, local.doubled_3, local.doubled_3, local.doubled_3, local.doubled_3]
  doubled_5 = [local.doubled_4, local.doubled_4, local.doubled_4, local.doubled_4, local.doubled_4, local.doubled_4, local.doubled_4, local.doubled_4] # ERROR: Value too large; more than 32 MiB
  encoded   = jsonencode([local.doubled_4, local.doubled_4, local.doubled_4, local.doubled_4, local.doubled_4]) # ERROR: Value too large

  product = setproduct(local.thousand, local.thousand, local.thousand) # ERROR: Value too large
  width   = format("%999999999s", "x") # ERROR: Value too large
  digits  = format("%.999999999f", 1) # ERROR: Value too large
  again   = format("%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s%[1]s", join(local.text, range(500))) # ERROR: Value too large
  widths  = formatlist("%99999s", local.thousand) # ERROR: Value too large
  indent  = indent(999999999, "a\nb") # ERROR: Value too large
  joined  = join(local.text, range(9999)) # ERROR: Value too large
  replace = replace(local.text, "", local.text) # ERROR: Value too large
  regexes = regexreplace(local.text, "", local.text) # ERROR: Value too large
  pairs   = [for a in local.thousand : [for b in local.thousand : "${a} ${b}"]] # ERROR: Value too large
  nothing = [for a in range(100000) : [for b in range(100000) : b if false]] # ERROR: Value too large
  tried   = [for a in range(100000) : try([for b in range(100000) : b], 0)] # ERROR: Value too large
  object  = { for i in range(100000) : "${i}" => local.text } # ERROR: Value too large
  parts   = "${join(local.text, range(500))}${join(local.text, range(500))}${join(local.text, range(500))}${join(local.text, range(500))}${join(local.text, range(500))}${join(local.text, range(500))}${join(local.text, range(500))}${join(local.text, range(500))}${join(local.text, range(500))}" # ERROR: Value too large
  laughs  = yamldecode("a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\n") # ERROR: Invalid function argument; the aliases of the YAML multiply its size

  # An expression on what could not be computed is not reported again.
  dependent = length(local.product)

  # None of these is too large.
  some      = setproduct(range(100), range(100))
  wide      = format("%99999s", "x")
  few       = [for a in range(300) : [for b in range(300) : a + b if a != b]]
  aliases   = yamldecode("a: &a [x, y]\nb: *a\nc: \"*a\"\n")
  shared    = [local.doubled_2, jsonencode(local.doubled_2)]
}

stage "s" {
  command = ["x", local.dependent]
}
