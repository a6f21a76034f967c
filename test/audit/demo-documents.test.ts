import { clientDocuments } from 'hallpass-audit'
import { expect, it } from 'vitest'
import { auditDocument } from '../../examples/school/testing.js'

const BASE = 'https://audit.example/'

it('publishes what an audit has to find at a school', () => {
  const published = clientDocuments(BASE).map(({ name, content }) => [name, JSON.parse(content)])
  const shown = published.map(([name]) => [name, JSON.parse(JSON.stringify(auditDocument(`${BASE}${String(name)}`)))]) // prettier-ignore
  expect(shown).toEqual(published)
  expect(auditDocument(`${BASE}missing.json`)).toBeNull()
})
