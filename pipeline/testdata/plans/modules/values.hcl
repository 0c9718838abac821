extra = true
