// `npm run audit:peers`: audits six servers that others wrote, each as its own documentation sets it up, and hallpass.
// `--write` writes the page, its heat map and the notes to the maintainers from their run. Names of files in
// `bench/audit-peers` run only these: also `keycloak` and `spring`, which need Java and are not on the page.
import { readFileSync, writeFileSync } from 'node:fs'
import { auditServer } from '../packages/hallpass-audit/src/index.ts'
import { prepareJava } from '../scripts/java.mjs'
import { heatMapOf, notesOf, pageOf } from './audit-peers/page.mjs'

const FILES = [
  'hallpass',
  'oidc-provider',
  'better-auth',
  'node-oauth',
  'jmondi',
  'cloudflare',
  'mcp-sdk',
]
const JAVA = ['keycloak', 'spring']
const isWritten = process.argv.includes('--write')
const asked = process.argv.slice(2).filter((one) => one !== '--write')
if (isWritten && asked.length > 0) throw new Error('--write needs a run of all')
const about = JSON.parse(readFileSync(new URL('audit-peers/about.json', import.meta.url)))

const files = asked.length === 0 ? FILES : asked
if (files.some((one) => JAVA.includes(one))) process.env['CLASSPATH'] = prepareJava()
const servers = []
for (const file of files) {
  const {
    name,
    packages = [],
    versions = versionsOf(packages),
    setUp,
    host,
    start,
  } = await import(`./audit-peers/${file}.mjs`)
  // Their own notices are not of interest here.
  const { log, warn, error } = console
  const began = performance.now()
  Object.assign(console, { log() {}, warn() {}, error() {} })
  const { issuer, signIn, stop } = await start()
  const { rows: all, requests } = await auditServer(issuer, { signIn }).finally(stop)
  const rows = all.map((row) =>
    host?.checks(row.check, row.clause) ? { ...row, verdict: 'of the host' } : row,
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
  const notes = about.notes[name] ?? {}
  for (const check of Object.keys(notes))
    if (!rows.some((row) => row.check === check && row.verdict === 'violated'))
      console.error(`  about.json has a note on ${check} of ${name}, which is not violated`)
  if (asked.length > 0)
    for (const { check, verdict, found, clause } of rows)
      if (['violated', 'advice', 'not reached'].includes(verdict))
        console.log(`  ${verdict} ${check} (${clause.level}): ${found} ${notes[check] ?? ''}`)
  servers.push({ name, setUp, host, notes, better: about.better[name], versions, accepts: signIn.accepts ?? {}, rows, issuer }) // prettier-ignore
}

if (isWritten) {
  const date = new Date().toISOString().slice(0, 10)
  const write = (path, text) => writeFileSync(new URL(path, import.meta.url), text)
  write('../docs/look-up/audited-servers.md', pageOf(servers, date))
  write('../docs/look-up/audited-servers.svg', heatMapOf(servers))
  write('audit-peers/MAINTAINERS.txt', notesOf(servers, date))
}
// Some of them keep timers.
process.exit(0)

/** The versions of packages, as they are installed. */
function versionsOf(packages) {
  const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')).version
  return Object.fromEntries(
    packages.map((one) => [one, read(one === 'hallpass' ? '../package.json' : `audit-peers/node_modules/${one}/package.json`)]), // prettier-ignore
  )
}
