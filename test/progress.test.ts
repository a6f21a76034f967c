import { expect, it } from 'vitest'
import { createProgress } from '../scripts/progress.mjs'

const sent: string[] = []
const stream = { write: (text: string) => sent.push(text) }

it('has one line on a terminal, which is no longer than it', () => {
  sent.length = 0
  const progress = createProgress('Work', {
    total: 2,
    stream: { ...stream, isTTY: true, columns: 20 },
  })
  progress.step('one')
  progress.repeat('4 s')
  progress.step('a step with a long name')
  progress.end()
  expect(sent.join('').split('\r\u001b[2K')).toEqual([
    '',
    'Work: 1 of 2, one',
    'Work: 1 of 2, one, ',
    'Work: 2 of 2, a ste',
    '',
  ])
})

it('has a line every ten seconds elsewhere, and none more often', () => {
  sent.length = 0
  let time = 0
  const progress = createProgress('Work', { total: 400, stream, now: () => time })
  for (; time < 40_000; time += 100) progress.step()
  progress.end()
  expect(sent).toEqual([1, 101, 201, 301].map((count) => `Work: ${count} of 400\n`))
})
