package scanner

const cDeeds = cSend | cRead | cInclude | cCall | cChange | cPay | cDestroy
