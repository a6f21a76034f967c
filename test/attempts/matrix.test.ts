import { readFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'
import { expect, it } from 'vitest'
import { ROOT } from '../../docs/.vitepress/pages.js'
import { drive, type DrivenClient, drivenClients, wayOf } from './drive.js'
import { type Fault, FAULTS } from './faults.js'

const PAGE = `${ROOT}docs/look-up/attempts.md`

/** Whether a client can meet a fault: by how it connects, never by its name. */
const meets = (real: DrivenClient, fault: Fault): boolean =>
  fault.meets?.({
    way: wayOf(real),
    redirectUri: real.authorize.redirectUri,
    sendsResource: real.token.exchange.includes('resource'),
  }) ?? true

// `npx vitest run test/attempts/matrix.test.ts -u` writes the table of the page anew.
it('names what stopped each known client, for every planted fault that it can meet [ATT-10]', async () => {
  const wrong: string[] = []
  const rows: string[] = []
  let cells = 0
  for (const fault of FAULTS) {
    const met = drivenClients.filter((real) => meets(real, fault))
    let named = 0
    for (const real of met) {
      const attempt = await drive(real, fault)
      const { outcome, reason, turn, sentence = '', change } = attempt?.explanation ?? {}
      const isNamed =
        outcome === 'stopped' &&
        reason === fault.reason &&
        turn === fault.turn &&
        sentence.includes(fault.says ?? '') &&
        typeof change === 'string'
      if (isNamed) named++
      else wrong.push(`${real.name}, ${fault.name}: ${outcome} ${reason} ${turn} ${sentence}`)
    }
    cells += met.length
    rows.push(`| ${fault.name} | \`${fault.reason}\` | ${fault.turn} | ${named} of ${met.length} |`)
  }
  expect(wrong).toEqual([])
  expect(FAULTS.length).toBeGreaterThan(30)
  expect(cells).toBeGreaterThan(450)

  const table = ['| fault | `reason` | turn | named |', '| --- | --- | --- | --- |', ...rows]
  const total = `Of ${cells} attempts, the record named the fault of ${cells - wrong.length}.`
  const page = readFileSync(PAGE, 'utf8')
    .replace(/^Of \d+ attempts.*$/m, () => total)
    .replace(/^\| fault [^]*?\n(?=\n|$)/m, () => `${table.join('\n')}\n`)
  const options = await resolveConfig(PAGE)
  await expect(await format(page, { ...options, parser: 'markdown' })).toMatchFileSnapshot(PAGE)
})

it('says that a client which connects has connected [ATT-10]', async () => {
  for (const real of drivenClients) {
    const attempt = await drive(real, { name: 'none', reason: '', turn: 'nobody' })
    expect(attempt?.explanation, real.name).toMatchObject({
      outcome: 'connected',
      stage: 'token',
      turn: 'nobody',
    })
  }
})
