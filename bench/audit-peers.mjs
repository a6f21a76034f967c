// `npm run audit:peers`: audits six servers that others wrote, each as its own documentation sets it up, and hallpass.
// It prints what was found, and no page has it: rows of others need the sentence of their text first. Names of files in
// `bench/audit-peers` run only these.
import { readFileSync } from 'node:fs'
import { auditServer } from '../packages/hallpass-audit/src/index.ts'

const FILES = [
  'hallpass',
  'oidc-provider',
  'better-auth',
  'node-oauth',
  'jmondi',
  'cloudflare',
  'mcp-sdk',
]
const asked = process.argv.slice(2)
const { notes } = JSON.parse(readFileSync(new URL('audit-peers/about.json', import.meta.url)))

for (const file of FILES.filter((one) => asked.length === 0 || asked.includes(one))) {
  const { name, host, start } = await import(`./audit-peers/${file}.mjs`)
  // Their own notices are not of interest here.
  const { log, warn, error } = console
  const began = performance.now()
  Object.assign(console, { log() {}, warn() {}, error() {} })
  const { issuer, signIn, stop } = await start()
  const { rows: all, requests } = await auditServer(issuer, { signIn }).finally(stop)
  const rows = all.map((row) =>
    host?.checks(row.check) ? { ...row, verdict: 'of the host' } : row,
  )
  const counts = Object.fromEntries(
    [...new Set(rows.map(({ verdict }) => verdict))].map((verdict) => [
      verdict,
      rows.filter((row) => row.verdict === verdict).length,
    ]),
  )
  Object.assign(console, { log, warn, error })
  console.log(
    `${name}: ${Object.entries(counts)
      .map(([verdict, count]) => `${count} ${verdict}`)
      .join(', ')} (${requests} requests, ${Math.round((performance.now() - began) / 1000)} s)`,
  )
  if (asked.length > 0)
    for (const { check, verdict, found } of rows)
      if (verdict === 'violated' || verdict === 'not reached')
        console.log(`  ${verdict} ${check}: ${found} ${notes[name]?.[check] ?? ''}`)
}
// Some of them keep timers.
process.exit(0)
