contract = "lines"
command  = ["node", "${kept}/search.mjs"]
