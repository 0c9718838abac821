# The servers of the real track. Their texts are not in this repository: they are under the
# licences that the blocks name. digests.json has the digest of each tool, and
# docs/how-to/evaluate-on-real-servers.md explains the files. "touchstone data fetch real"
# installs the packages without running their scripts, and starts the servers without network.
# Keys are placeholders: no tool is called.

corpus {
  source  = "servers of the npm registry, as touchstone data fetch real lists them"
  version = "real_v1"
  note    = "The texts belong to the authors of the servers, under the licences of their packages; datasets/DATASHEET-real.md lists them."
}

install "npm" {
  files   = ["package.json", "package-lock.json"]
  lock    = "package-lock.json"
  command = ["npm", "ci", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund"]
  timeout = "1h"
}

upstream "airbnb" {
  install = "npm"
  package = "@openbnb/mcp-server-airbnb"
  version = "0.3.0"
  license = "MIT"
  domain  = "travel"
  command = ["node", "node_modules/@openbnb/mcp-server-airbnb/dist/index.js"]
  timeout = "5m"
}

upstream "airtable" {
  install = "npm"
  package = "airtable-mcp-server"
  version = "1.14.0"
  license = "MIT"
  domain  = "databases"
  command = ["node", "node_modules/airtable-mcp-server/dist/main.js"]
  env = {
    AIRTABLE_API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "amap" {
  install = "npm"
  package = "@amap/amap-maps-mcp-server"
  version = "0.0.8"
  license = "ISC"
  domain  = "maps and weather"
  command = ["node", "node_modules/@amap/amap-maps-mcp-server/build/index.js"]
  env = {
    AMAP_MAPS_API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "argocd" {
  install = "npm"
  package = "argocd-mcp"
  version = "0.9.0"
  license = "Apache-2.0"
  domain  = "hosting"
  command = ["node", "node_modules/argocd-mcp/dist/index.js", "stdio"]
  timeout = "5m"
}

upstream "atlassian-bitbucket" {
  install = "npm"
  package = "@aashari/mcp-server-atlassian-bitbucket"
  version = "3.1.0"
  license = "ISC"
  domain  = "code hosting"
  command = ["node", "node_modules/@aashari/mcp-server-atlassian-bitbucket/dist/index.js"]
  timeout = "5m"
}

upstream "atlassian-jira" {
  install = "npm"
  package = "@aashari/mcp-server-atlassian-jira"
  version = "3.3.0"
  license = "ISC"
  domain  = "project management"
  command = ["node", "node_modules/@aashari/mcp-server-atlassian-jira/dist/index.js"]
  timeout = "5m"
}

upstream "attio" {
  install = "npm"
  package = "attio-mcp-server"
  version = "0.0.2"
  license = "BSD-3-Clause"
  domain  = "customer relations"
  command = ["node", "node_modules/attio-mcp-server/dist/index.js"]
  env = {
    ATTIO_API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "azure-devops" {
  install = "npm"
  package = "@tiberriver256/mcp-server-azure-devops"
  version = "0.1.48"
  license = "MIT"
  domain  = "code hosting"
  command = ["node", "node_modules/@tiberriver256/mcp-server-azure-devops/dist/index.js"]
  env = {
    AZURE_DEVOPS_ORG_URL = "https://example.invalid"
  }
  timeout = "5m"
}

upstream "backlog" {
  install = "npm"
  package = "backlog-mcp-server"
  version = "0.20.4"
  license = "MIT"
  domain  = "project management"
  command = ["node", "node_modules/backlog-mcp-server/build/index.js"]
  env = {
    BACKLOG_API_KEY = "placeholder"
    BACKLOG_DOMAIN  = "example.invalid"
  }
  timeout = "5m"
}

upstream "bitbucket" {
  install = "npm"
  package = "@nexus2520/bitbucket-mcp-server"
  version = "3.0.0"
  license = "MIT"
  domain  = "code hosting"
  command = ["node", "node_modules/@nexus2520/bitbucket-mcp-server/build/index.js"]
  env = {
    BITBUCKET_TOKEN    = "placeholder"
    BITBUCKET_USERNAME = "placeholder"
  }
  timeout = "5m"
}

upstream "brave-search" {
  install = "npm"
  package = "@brave/brave-search-mcp-server"
  version = "2.1.4"
  license = "MIT"
  domain  = "web search and reading"
  command = ["node", "node_modules/@brave/brave-search-mcp-server/dist/index.js"]
  env = {
    BRAVE_API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "brave-search-reference" {
  install = "npm"
  package = "@modelcontextprotocol/server-brave-search"
  version = "0.6.2"
  license = "MIT"
  domain  = "web search and reading"
  command = ["node", "node_modules/@modelcontextprotocol/server-brave-search/dist/index.js"]
  env = {
    BRAVE_API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "calc" {
  install = "npm"
  package = "@coo-quack/calc-mcp"
  version = "2.1.1"
  license = "MIT"
  domain  = "calculation and time"
  command = ["node", "node_modules/@coo-quack/calc-mcp/dist/index.js"]
  timeout = "5m"
}

upstream "ccxt" {
  install = "npm"
  package = "@mcpfun/mcp-server-ccxt"
  version = "1.2.1"
  license = "MIT"
  domain  = "markets"
  command = ["node", "node_modules/@mcpfun/mcp-server-ccxt/bin/cli.js"]
  timeout = "5m"
}

upstream "chart" {
  install = "npm"
  package = "@antv/mcp-server-chart"
  version = "0.9.10"
  license = "MIT"
  domain  = "diagrams and charts"
  command = ["node", "node_modules/@antv/mcp-server-chart/build/index.js"]
  timeout = "5m"
}

upstream "chatwork" {
  install = "npm"
  package = "@chatwork/mcp-server"
  version = "0.0.4"
  license = "MIT"
  domain  = "chat"
  command = ["node", "node_modules/@chatwork/mcp-server/dist/index.js"]
  timeout = "5m"
}

upstream "chrome-devtools" {
  install = "npm"
  package = "chrome-devtools-mcp"
  version = "1.11.0"
  license = "Apache-2.0"
  domain  = "browsers"
  command = ["node", "node_modules/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js", "--no-usage-statistics"]
  timeout = "5m"
}

upstream "circleci" {
  install = "npm"
  package = "@circleci/mcp-server-circleci"
  version = "0.20.0"
  license = "Apache-2.0"
  domain  = "code hosting"
  command = ["node", "node_modules/@circleci/mcp-server-circleci/dist/index.js"]
  timeout = "5m"
}

upstream "code-runner" {
  install = "npm"
  package = "mcp-server-code-runner"
  version = "0.1.8"
  license = "MIT"
  domain  = "system administration"
  command = ["node", "node_modules/mcp-server-code-runner/dist/cli.js"]
  timeout = "5m"
}

upstream "coingecko" {
  install = "npm"
  package = "@coingecko/coingecko-mcp"
  version = "8.2.0"
  license = "Apache-2.0"
  domain  = "markets"
  command = ["node", "node_modules/@coingecko/coingecko-mcp/index.js"]
  timeout = "5m"
}

upstream "commands" {
  install = "npm"
  package = "mcp-server-commands"
  version = "0.5.0"
  license = "MIT"
  domain  = "system administration"
  command = ["node", "node_modules/mcp-server-commands/build/index.js"]
  timeout = "5m"
}

upstream "context7" {
  install = "npm"
  package = "@upstash/context7-mcp"
  version = "4.1.1"
  license = "MIT"
  domain  = "documentation of code"
  command = ["node", "node_modules/@upstash/context7-mcp/dist/index.js"]
  timeout = "5m"
}

upstream "datadog" {
  install = "npm"
  package = "@winor30/mcp-server-datadog"
  version = "1.8.0"
  license = "Apache-2.0"
  domain  = "observability"
  command = ["node", "node_modules/@winor30/mcp-server-datadog/build/index.js"]
  env = {
    DATADOG_API_KEY = "placeholder"
    DATADOG_APP_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "discord" {
  install = "npm"
  package = "mcp-discord"
  version = "1.3.4"
  license = "MIT"
  domain  = "chat"
  command = ["node", "node_modules/mcp-discord/build/index.js"]
  timeout = "5m"
}

upstream "discourse" {
  install = "npm"
  package = "@discourse/mcp"
  version = "0.3.1"
  license = "MIT"
  domain  = "chat"
  command = ["node", "node_modules/@discourse/mcp/dist/index.js"]
  timeout = "5m"
}

upstream "dokploy" {
  install = "npm"
  package = "@ahdev/dokploy-mcp"
  version = "1.6.0"
  license = "Apache-2.0"
  domain  = "hosting"
  command = ["node", "node_modules/@ahdev/dokploy-mcp/build/index.js"]
  env = {
    DOKPLOY_API_KEY = "placeholder"
    DOKPLOY_URL     = "https://example.invalid"
  }
  timeout = "5m"
}

upstream "domain-search" {
  install = "npm"
  package = "domain-search-mcp"
  version = "1.13.1"
  license = "MIT"
  domain  = "hosting"
  command = ["node", "node_modules/domain-search-mcp/bin/domain-search-mcp"]
  timeout = "5m"
}

upstream "drawio" {
  install = "npm"
  package = "drawio-mcp-server"
  version = "2.3.0"
  license = "MIT"
  domain  = "diagrams and charts"
  command = ["node", "node_modules/drawio-mcp-server/build/index.js"]
  timeout = "5m"
}

upstream "duckduckgo" {
  install = "npm"
  package = "duckduckgo-mcp-server"
  version = "0.1.2"
  license = "MIT"
  domain  = "web search and reading"
  command = ["node", "node_modules/duckduckgo-mcp-server/build/index.js"]
  timeout = "5m"
}

upstream "email" {
  install = "npm"
  package = "@codefuturist/email-mcp"
  version = "0.2.0"
  license = "LGPL-3.0-or-later"
  domain  = "email"
  command = ["node", "node_modules/@codefuturist/email-mcp/dist/main.js"]
  env = {
    MCP_EMAIL_ADDRESS   = "nobody@example.invalid"
    MCP_EMAIL_IMAP_HOST = "127.0.0.1"
    MCP_EMAIL_PASSWORD  = "placeholder"
    MCP_EMAIL_SMTP_HOST = "127.0.0.1"
  }
  timeout = "5m"
}

upstream "erpnext" {
  install = "npm"
  package = "@casys/mcp-erpnext"
  version = "3.0.4"
  license = "MIT"
  domain  = "enterprise resource planning"
  command = ["node", "node_modules/@casys/mcp-erpnext/mcp-erpnext.mjs"]
  timeout = "5m"
}

upstream "european-parliament" {
  install = "npm"
  package = "european-parliament-mcp-server"
  version = "1.1.26"
  license = "Apache-2.0"
  domain  = "public data"
  command = ["node", "node_modules/european-parliament-mcp-server/dist/index.js"]
  timeout = "5m"
}

upstream "everything" {
  install = "npm"
  package = "@modelcontextprotocol/server-everything"
  version = "2026.8.31"
  license = "NOASSERTION"
  domain  = "demonstration"
  command = ["node", "node_modules/@modelcontextprotocol/server-everything/dist/index.js"]
  timeout = "5m"
}

upstream "filesystem" {
  install = "npm"
  package = "@modelcontextprotocol/server-filesystem"
  version = "2026.8.31"
  license = "NOASSERTION"
  domain  = "files"
  command = ["node", "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "."]
  timeout = "5m"
}

upstream "flightradar24" {
  install = "npm"
  package = "@flightradar24/fr24api-mcp"
  version = "1.0.2"
  license = "MIT"
  domain  = "travel"
  command = ["node", "node_modules/@flightradar24/fr24api-mcp/build/index.js"]
  env = {
    FR24_API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "freee" {
  install = "npm"
  package = "freee-mcp"
  version = "0.35.2"
  license = "Apache-2.0"
  domain  = "accounting"
  command = ["node", "node_modules/freee-mcp/bin/freee-mcp.js"]
  env = {
    FREEE_CLIENT_ID     = "placeholder"
    FREEE_CLIENT_SECRET = "placeholder"
  }
  timeout = "5m"
}

upstream "git" {
  install = "npm"
  package = "@cyanheads/git-mcp-server"
  version = "2.15.3"
  license = "Apache-2.0"
  domain  = "code hosting"
  command = ["node", "node_modules/@cyanheads/git-mcp-server/dist/index.js"]
  timeout = "5m"
}

upstream "github" {
  install = "npm"
  package = "@modelcontextprotocol/server-github"
  version = "2025.4.8"
  license = "MIT"
  domain  = "code hosting"
  command = ["node", "node_modules/@modelcontextprotocol/server-github/dist/index.js"]
  timeout = "5m"
}

upstream "gitlab" {
  install = "npm"
  package = "@modelcontextprotocol/server-gitlab"
  version = "2025.4.25"
  license = "MIT"
  domain  = "code hosting"
  command = ["node", "node_modules/@modelcontextprotocol/server-gitlab/dist/index.js"]
  env = {
    GITLAB_PERSONAL_ACCESS_TOKEN = "placeholder"
  }
  timeout = "5m"
}

upstream "godot" {
  install = "npm"
  package = "@coding-solo/godot-mcp"
  version = "0.1.1"
  license = "MIT"
  domain  = "game development"
  command = ["node", "node_modules/@coding-solo/godot-mcp/build/index.js"]
  timeout = "5m"
}

upstream "google-drive" {
  install = "npm"
  package = "@piotr-agier/google-drive-mcp"
  version = "2.10.0"
  license = "MIT"
  domain  = "documents"
  command = ["node", "node_modules/@piotr-agier/google-drive-mcp/dist/index.js"]
  timeout = "5m"
}

upstream "google-maps" {
  install = "npm"
  package = "@modelcontextprotocol/server-google-maps"
  version = "0.6.2"
  license = "MIT"
  domain  = "maps and weather"
  command = ["node", "node_modules/@modelcontextprotocol/server-google-maps/dist/index.js"]
  env = {
    GOOGLE_MAPS_API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "headless-commerce" {
  install = "npm"
  package = "@headless-commerce/mcp-server"
  version = "0.1.4"
  license = "MIT"
  domain  = "commerce"
  command = ["node", "node_modules/@headless-commerce/mcp-server/dist/index.js"]
  env = {
    HEADLESS_COMMERCE_API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "hotelzero" {
  install = "npm"
  package = "hotelzero"
  version = "1.15.2"
  license = "MIT"
  domain  = "travel"
  command = ["node", "node_modules/hotelzero/dist/index.js"]
  timeout = "5m"
}

upstream "hyperbrowser" {
  install = "npm"
  package = "hyperbrowser-mcp"
  version = "1.0.25"
  license = "ISC"
  domain  = "web search and reading"
  command = ["node", "node_modules/hyperbrowser-mcp/dist/server.js"]
  timeout = "5m"
}

upstream "image" {
  install = "npm"
  package = "mcp-image"
  version = "0.14.0"
  license = "MIT"
  domain  = "images"
  command = ["node", "node_modules/mcp-image/dist/index.js"]
  timeout = "5m"
}

upstream "infisical" {
  install = "npm"
  package = "@infisical/mcp"
  version = "0.0.24"
  license = "Apache-2.0"
  domain  = "secrets"
  command = ["node", "node_modules/@infisical/mcp/dist/index.js"]
  env = {
    INFISICAL_HOST_URL                     = "https://example.invalid"
    INFISICAL_UNIVERSAL_AUTH_CLIENT_ID     = "placeholder"
    INFISICAL_UNIVERSAL_AUTH_CLIENT_SECRET = "placeholder"
  }
  timeout = "5m"
}

upstream "iterable" {
  install = "npm"
  package = "@iterable/mcp"
  version = "1.9.0"
  license = "MIT"
  domain  = "marketing"
  command = ["node", "node_modules/@iterable/mcp/dist/index.js"]
  env = {
    ITERABLE_API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "jira-cloud" {
  install = "npm"
  package = "@aaronsb/jira-cloud-mcp"
  version = "0.11.3"
  license = "MIT"
  domain  = "project management"
  command = ["node", "node_modules/@aaronsb/jira-cloud-mcp/build/index.js"]
  env = {
    JIRA_API_TOKEN = "placeholder"
    JIRA_EMAIL     = "nobody@example.invalid"
    JIRA_HOST      = "example.invalid"
  }
  timeout = "5m"
}

upstream "karakeep" {
  install = "npm"
  package = "@karakeep/mcp"
  version = "0.33.1"
  license = "AGPL-3.0-only"
  domain  = "documents"
  command = ["node", "node_modules/@karakeep/mcp/dist/index.js"]
  timeout = "5m"
}

upstream "lara" {
  install = "npm"
  package = "@translated/lara-mcp"
  version = "1.0.6"
  license = "MIT"
  domain  = "translation"
  command = ["node", "node_modules/@translated/lara-mcp/dist/index.js"]
  env = {
    LARA_ACCESS_KEY_ID     = "placeholder"
    LARA_ACCESS_KEY_SECRET = "placeholder"
  }
  timeout = "5m"
}

upstream "latest-science" {
  install = "npm"
  package = "@futurelab-studio/latest-science-mcp"
  version = "0.1.40"
  license = "MIT"
  domain  = "research"
  command = ["node", "node_modules/@futurelab-studio/latest-science-mcp/dist/server.js"]
  timeout = "5m"
}

upstream "linear" {
  install = "npm"
  package = "@tacticlaunch/mcp-linear"
  version = "1.4.3"
  license = "MIT"
  domain  = "project management"
  command = ["node", "node_modules/@tacticlaunch/mcp-linear/dist/index.js"]
  env = {
    LINEAR_OAUTH_ACCESS_TOKEN = "placeholder"
  }
  timeout = "5m"
}

upstream "lunchmoney" {
  install = "npm"
  package = "@akutishevsky/lunchmoney-mcp"
  version = "3.0.0"
  license = "MIT"
  domain  = "personal finance"
  command = ["node", "node_modules/@akutishevsky/lunchmoney-mcp/build/index.js"]
  env = {
    LUNCHMONEY_API_TOKEN = "placeholder"
  }
  timeout = "5m"
}

upstream "memory" {
  install = "npm"
  package = "@modelcontextprotocol/server-memory"
  version = "2026.8.31"
  license = "NOASSERTION"
  domain  = "memory and reasoning"
  command = ["node", "node_modules/@modelcontextprotocol/server-memory/dist/index.js"]
  timeout = "5m"
}

upstream "mssql" {
  install = "npm"
  package = "mssql-mcp-server"
  version = "1.3.0"
  license = "MIT"
  domain  = "databases"
  command = ["node", "node_modules/mssql-mcp-server/dist/index.js"]
  timeout = "5m"
}

upstream "notion" {
  install = "npm"
  package = "@notionhq/notion-mcp-server"
  version = "2.5.2"
  license = "MIT"
  domain  = "documents"
  command = ["node", "node_modules/@notionhq/notion-mcp-server/bin/cli.mjs"]
  timeout = "5m"
}

upstream "paddle" {
  install = "npm"
  package = "@paddle/paddle-mcp"
  version = "0.1.6"
  license = "Apache-2.0"
  domain  = "payments"
  command = ["node", "node_modules/@paddle/paddle-mcp/build/index.js", "--api-key=placeholder", "--environment=sandbox"]
  timeout = "5m"
}

upstream "paperless" {
  install = "npm"
  package = "@baruchiro/paperless-mcp"
  version = "2.2.1"
  license = "ISC"
  domain  = "documents"
  command = ["node", "node_modules/@baruchiro/paperless-mcp/build/index.js"]
  env = {
    PAPERLESS_API_KEY = "placeholder"
    PAPERLESS_URL     = "https://example.invalid"
  }
  timeout = "5m"
}

upstream "perplexity" {
  install = "npm"
  package = "@perplexity-ai/mcp-server"
  version = "1.2.1"
  license = "MIT"
  domain  = "web search and reading"
  command = ["node", "node_modules/@perplexity-ai/mcp-server/dist/index.js"]
  env = {
    PERPLEXITY_API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "pinecone" {
  install = "npm"
  package = "@pinecone-database/mcp"
  version = "0.3.0"
  license = "Apache-2.0"
  domain  = "databases"
  command = ["node", "node_modules/@pinecone-database/mcp/dist/index.js"]
  timeout = "5m"
}

upstream "plane" {
  install = "npm"
  package = "@makeplane/plane-mcp-server"
  version = "0.1.5"
  license = "MIT"
  domain  = "project management"
  command = ["node", "node_modules/@makeplane/plane-mcp-server/build/index.js"]
  timeout = "5m"
}

upstream "playwright" {
  install = "npm"
  package = "@playwright/mcp"
  version = "0.0.83"
  license = "Apache-2.0"
  domain  = "browsers"
  command = ["node", "node_modules/@playwright/mcp/cli.js"]
  timeout = "5m"
}

upstream "postgres" {
  install = "npm"
  package = "@modelcontextprotocol/server-postgres"
  version = "0.6.2"
  license = "MIT"
  domain  = "databases"
  command = ["node", "node_modules/@modelcontextprotocol/server-postgres/dist/index.js", "postgresql://nobody:placeholder@127.0.0.1:1/none"]
  timeout = "5m"
}

upstream "postgres-manage" {
  install = "npm"
  package = "@henkey/postgres-mcp-server"
  version = "1.0.7"
  license = "AGPL-3.0-only"
  domain  = "databases"
  command = ["node", "node_modules/@henkey/postgres-mcp-server/build/index.js"]
  timeout = "5m"
}

upstream "pubmed" {
  install = "npm"
  package = "@cyanheads/pubmed-mcp-server"
  version = "2.7.4"
  license = "Apache-2.0"
  domain  = "research"
  command = ["node", "node_modules/@cyanheads/pubmed-mcp-server/dist/index.js"]
  timeout = "5m"
}

upstream "puppeteer" {
  install = "npm"
  package = "@modelcontextprotocol/server-puppeteer"
  version = "2025.5.12"
  license = "MIT"
  domain  = "browsers"
  command = ["node", "node_modules/@modelcontextprotocol/server-puppeteer/dist/index.js"]
  timeout = "5m"
}

upstream "quickbooks" {
  install = "npm"
  package = "quickbooks-mcp"
  version = "0.11.0"
  license = "MIT"
  domain  = "accounting"
  command = ["node", "node_modules/quickbooks-mcp/dist/index.js"]
  timeout = "5m"
}

upstream "railway" {
  install = "npm"
  package = "@jasontanswe/railway-mcp"
  version = "1.3.0"
  license = "MIT"
  domain  = "hosting"
  command = ["node", "node_modules/@jasontanswe/railway-mcp/build/index.js"]
  timeout = "5m"
}

upstream "reddit" {
  install = "npm"
  package = "reddit-mcp-buddy"
  version = "1.1.14"
  license = "MIT"
  domain  = "web search and reading"
  command = ["node", "node_modules/reddit-mcp-buddy/dist/cli.js"]
  timeout = "5m"
}

upstream "resend" {
  install = "npm"
  package = "resend-mcp"
  version = "2.22.0"
  license = "MIT"
  domain  = "email"
  command = ["node", "node_modules/resend-mcp/dist/index.js"]
  env = {
    RESEND_API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "roblox-studio" {
  install = "npm"
  package = "robloxstudio-mcp"
  version = "2.6.0"
  license = "MIT"
  domain  = "game development"
  command = ["node", "node_modules/robloxstudio-mcp/dist/index.js"]
  timeout = "5m"
}

upstream "rollbar" {
  install = "npm"
  package = "@rollbar/mcp-server"
  version = "0.6.0"
  license = "MIT"
  domain  = "observability"
  command = ["node", "node_modules/@rollbar/mcp-server/build/index.js"]
  env = {
    ROLLBAR_ACCOUNT_ACCESS_TOKEN = "placeholder"
  }
  timeout = "5m"
}

upstream "runpod" {
  install = "npm"
  package = "@runpod/mcp-server"
  version = "4.0.0"
  license = "Apache-2.0"
  domain  = "hosting"
  command = ["node", "node_modules/@runpod/mcp-server/dist/stdio.mjs"]
  env = {
    RUNPOD_API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "salesforce" {
  install = "npm"
  package = "@tsmztech/mcp-server-salesforce"
  version = "0.0.6"
  license = "MIT"
  domain  = "customer relations"
  command = ["node", "node_modules/@tsmztech/mcp-server-salesforce/dist/index.js"]
  timeout = "5m"
}

upstream "selenium" {
  install = "npm"
  package = "@angiejones/mcp-selenium"
  version = "0.2.3"
  license = "ISC"
  domain  = "browsers"
  command = ["node", "node_modules/@angiejones/mcp-selenium/src/lib/server.js"]
  timeout = "5m"
}

upstream "sequential-thinking" {
  install = "npm"
  package = "@modelcontextprotocol/server-sequential-thinking"
  version = "2026.8.31"
  license = "NOASSERTION"
  domain  = "memory and reasoning"
  command = ["node", "node_modules/@modelcontextprotocol/server-sequential-thinking/dist/index.js"]
  timeout = "5m"
}

upstream "shopify" {
  install = "npm"
  package = "shopify-mcp"
  version = "1.0.8"
  license = "MIT"
  domain  = "commerce"
  command = ["node", "node_modules/shopify-mcp/dist/index.js", "--accessToken", "placeholder", "--domain", "example.invalid"]
  timeout = "5m"
}

upstream "shortcut" {
  install = "npm"
  package = "@shortcut/mcp"
  version = "0.25.0"
  license = "MIT"
  domain  = "project management"
  command = ["node", "node_modules/@shortcut/mcp/dist/index.js"]
  env = {
    SHORTCUT_API_TOKEN = "placeholder"
  }
  timeout = "5m"
}

upstream "slack" {
  install = "npm"
  package = "@modelcontextprotocol/server-slack"
  version = "2025.4.25"
  license = "MIT"
  domain  = "chat"
  command = ["node", "node_modules/@modelcontextprotocol/server-slack/dist/index.js"]
  env = {
    SLACK_BOT_TOKEN = "placeholder"
    SLACK_TEAM_ID   = "placeholder"
  }
  timeout = "5m"
}

upstream "slack-zencoder" {
  install = "npm"
  package = "@zencoderai/slack-mcp-server"
  version = "0.0.1"
  license = "MIT"
  domain  = "chat"
  command = ["node", "node_modules/@zencoderai/slack-mcp-server/dist/index.js"]
  env = {
    SLACK_BOT_TOKEN = "placeholder"
    SLACK_TEAM_ID   = "placeholder"
  }
  timeout = "5m"
}

upstream "ssh-manager" {
  install = "npm"
  package = "mcp-ssh-manager"
  version = "3.8.5"
  license = "MIT"
  domain  = "system administration"
  command = ["node", "node_modules/mcp-ssh-manager/src/index.js"]
  timeout = "5m"
}

upstream "strava" {
  install = "npm"
  package = "@r-huijts/strava-mcp-server"
  version = "1.2.1"
  license = "ISC"
  domain  = "sport and health"
  command = ["node", "node_modules/@r-huijts/strava-mcp-server/dist/server.js"]
  timeout = "5m"
}

upstream "tavily" {
  install = "npm"
  package = "tavily-mcp"
  version = "0.2.22"
  license = "MIT"
  domain  = "web search and reading"
  command = ["node", "node_modules/tavily-mcp/build/index.js"]
  timeout = "5m"
}

upstream "terraform" {
  install = "npm"
  package = "terraform-mcp-server"
  version = "0.13.0"
  license = "MIT"
  domain  = "hosting"
  command = ["node", "node_modules/terraform-mcp-server/dist/index.js"]
  timeout = "5m"
}

upstream "time" {
  install = "npm"
  package = "time-mcp"
  version = "1.0.6"
  license = "MIT"
  domain  = "calculation and time"
  command = ["node", "node_modules/time-mcp/dist/index.js"]
  timeout = "5m"
}

upstream "todoist" {
  install = "npm"
  package = "todoist-mcp"
  version = "1.3.4"
  license = "MIT"
  domain  = "project management"
  command = ["node", "node_modules/todoist-mcp/dist/index.js"]
  env = {
    API_KEY = "placeholder"
  }
  timeout = "5m"
}

upstream "tradingview" {
  install = "npm"
  package = "tradingview-mcp-server"
  version = "0.7.1"
  license = "MIT"
  domain  = "markets"
  command = ["node", "node_modules/tradingview-mcp-server/dist/index.js"]
  timeout = "5m"
}

upstream "travel-planner" {
  install = "npm"
  package = "@gongrzhe/server-travelplanner-mcp"
  version = "0.1.2"
  license = "MIT"
  domain  = "travel"
  command = ["node", "node_modules/@gongrzhe/server-travelplanner-mcp/dist/index.js"]
  timeout = "5m"
}

upstream "trello" {
  install = "npm"
  package = "@delorenj/mcp-server-trello"
  version = "1.8.1"
  license = "MIT"
  domain  = "project management"
  command = ["node", "node_modules/@delorenj/mcp-server-trello/build/index.js"]
  env = {
    TRELLO_API_KEY = "placeholder"
    TRELLO_TOKEN   = "placeholder"
  }
  timeout = "5m"
}

upstream "unifi-protect" {
  install = "npm"
  package = "@owine/unifi-protect-mcp"
  version = "2.14.0"
  license = "MIT"
  domain  = "smart home"
  command = ["node", "node_modules/@owine/unifi-protect-mcp/dist/index.js"]
  env = {
    UNIFI_PROTECT_API_KEY = "placeholder"
    UNIFI_PROTECT_HOST    = "example.invalid"
  }
  timeout = "5m"
}

upstream "variflight" {
  install = "npm"
  package = "@variflight-ai/variflight-mcp"
  version = "1.0.3"
  license = "ISC"
  domain  = "travel"
  command = ["node", "node_modules/@variflight-ai/variflight-mcp/dist/index.js"]
  timeout = "5m"
}

upstream "vercel" {
  install = "npm"
  package = "@robinson_ai_systems/vercel-mcp"
  version = "1.0.1"
  license = "MIT"
  domain  = "hosting"
  command = ["node", "node_modules/@robinson_ai_systems/vercel-mcp/dist/index.js"]
  env = {
    VERCEL_TOKEN = "placeholder"
  }
  timeout = "5m"
}

upstream "webflow" {
  install = "npm"
  package = "webflow-mcp-server"
  version = "1.0.0"
  license = "MIT"
  domain  = "content management"
  command = ["node", "node_modules/webflow-mcp-server/dist/index.js"]
  env = {
    WEBFLOW_TOKEN = "placeholder"
  }
  timeout = "5m"
}

upstream "wikipedia" {
  install = "npm"
  package = "wikipedia-mcp"
  version = "1.0.3"
  license = "MIT"
  domain  = "research"
  command = ["node", "node_modules/wikipedia-mcp/dist/index.js"]
  timeout = "5m"
}

upstream "woocommerce" {
  install = "npm"
  package = "@lockon0927/woocommerce-mcp"
  version = "1.0.6"
  license = "MIT"
  domain  = "commerce"
  command = ["node", "node_modules/@lockon0927/woocommerce-mcp/dist/index.js"]
  env = {
    WOOCOMMERCE_CONSUMER_KEY    = "placeholder"
    WOOCOMMERCE_CONSUMER_SECRET = "placeholder"
    WORDPRESS_SITE_URL          = "https://example.invalid"
  }
  timeout = "5m"
}

upstream "xero" {
  install = "npm"
  package = "@xeroapi/xero-mcp-server"
  version = "0.0.17"
  license = "MIT"
  domain  = "accounting"
  command = ["node", "node_modules/@xeroapi/xero-mcp-server/dist/index.js"]
  env = {
    XERO_CLIENT_BEARER_TOKEN = "placeholder"
  }
  timeout = "5m"
}

upstream "youtube-transcript" {
  install = "npm"
  package = "@kimtaeyoon83/mcp-server-youtube-transcript"
  version = "0.1.1"
  license = "MIT"
  domain  = "web search and reading"
  command = ["node", "node_modules/@kimtaeyoon83/mcp-server-youtube-transcript/dist/index.js"]
  timeout = "5m"
}
