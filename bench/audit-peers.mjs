// `npm run audit:peers`: audits six servers that others wrote, each as its own documentation sets it up, and hallpass.
// `-- --write` writes the page about what was found. Names of files in
// `bench/audit-peers` run only these.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import prettier from 'prettier'
import { auditServer, CHECKS } from '../packages/hallpass-audit/src/index.ts'
import { pageOf } from './audit-peers/page.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const PAGE = 'docs/look-up/audited-servers.md'
const FILES = [
  'hallpass',
  'oidc-provider',
  'better-auth',
  'node-oauth',
  'jmondi',
  'cloudflare',
  'mcp-sdk',
]
const args = process.argv.slice(2)
const asked = args.filter((arg) => !arg.startsWith('--'))
const { better, notes } = JSON.parse(readFileSync(`${ROOT}bench/audit-peers/about.json`, 'utf8'))

/** The version of a package that is installed here. */
function versionOf(name) {
  const file =
    name === 'hallpass' ? 'package.json' : `bench/audit-peers/node_modules/${name}/package.json`
  return JSON.parse(readFileSync(ROOT + file, 'utf8')).version
}

const servers = {}
for (const file of FILES.filter((one) => asked.length === 0 || asked.includes(one))) {
  const { name, packages, setUp, host, start } = await import(`./audit-peers/${file}.mjs`)
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
        console.log(`  ${verdict} ${check}: ${found}`)
  servers[name] = {
    versions: Object.fromEntries(packages.map((one) => [one, versionOf(one)])),
    setUp,
    better: better[name],
    host: host?.what,
    notes: notes[name] ?? {},
    rows: rows.map(({ check, verdict, found }) => [
      check,
      verdict,
      verdict === 'held'
        ? ''
        : found
            .replaceAll(issuer, 'https://server.example')
            .replaceAll(new URL(issuer).origin, 'https://server.example'),
    ]),
  }
}
if (args.includes('--write')) {
  const checks = CHECKS.map(({ id, clause }) => [
    id,
    `${clause.document}, section ${clause.section}, ${clause.level}`,
  ])
  const found = { date: new Date().toISOString().slice(0, 10), checks, servers }
  const format = async (file, text, parser) =>
    writeFileSync(
      ROOT + file,
      await prettier.format(text, { ...(await prettier.resolveConfig(ROOT + file)), parser }),
    )
  await format(PAGE, pageOf(found), 'markdown')
}
// Some of them keep timers.
process.exit(0)
