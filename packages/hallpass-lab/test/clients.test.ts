import { realClients } from 'hallpass-lab'
import { describe, expect, it } from 'vitest'

describe('realClients', () => {
  it('are 25, each with a name, a day and its sources, and what they register is JSON', () => {
    expect(new Set(realClients.map(({ name }) => name)).size).toBe(25)
    for (const { asOf, sources, registrations } of realClients) {
      expect(new Date(`${asOf}T00:00:00Z`).toISOString().slice(0, 10)).toBe(asOf)
      expect(sources.length).toBeGreaterThan(0)
      for (const source of sources) expect(new URL(source).protocol).toBe('https:')
      expect(JSON.parse(JSON.stringify(registrations))).toEqual(registrations)
    }
  })

  it('name a way in, unless their requests are not public', () => {
    const silent = realClients.filter(({ authorize }) => authorize === null)
    expect(silent.map(({ name }) => name)).toEqual(['Raycast', 'Zapier'])
    for (const { registrations, document, authorize, notes } of realClients)
      if (authorize === null) {
        expect([registrations, document]).toEqual([[], null])
        expect(notes.join()).toContain('not published')
      } else expect(registrations.length + Number(document !== null)).toBeGreaterThan(0)
  })

  it('publish documents that name their own URL and fit into 5 KiB', () => {
    const documents = realClients.flatMap(({ document }) => document ?? [])
    expect(documents).toHaveLength(9)
    for (const { url, content } of documents) {
      expect(content['client_id']).toBe(url)
      expect(JSON.stringify(content).length).toBeLessThan(5 * 1024)
    }
  })
})
