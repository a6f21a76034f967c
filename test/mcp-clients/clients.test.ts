import { realClients } from 'hallpass/mcp-clients'
import { describe, expect, it } from 'vitest'

describe('realClients', () => {
  it('carry a month and a name each, and what they register is JSON', () => {
    expect(new Set(realClients.map(({ name }) => name)).size).toBe(realClients.length)
    for (const { asOf, registrations } of realClients) {
      expect(asOf).toMatch(/^20\d\d-(?:0[1-9]|1[0-2])$/)
      expect(JSON.parse(JSON.stringify(registrations))).toEqual(registrations)
    }
  })

  it('publish documents that name their own URL and fit into 5 KiB', () => {
    const documents = realClients.flatMap(({ document }) => document ?? [])
    expect(documents).toHaveLength(8)
    for (const { url, content } of documents) {
      expect(content['client_id']).toBe(url)
      expect(JSON.stringify(content).length).toBeLessThan(5 * 1024)
    }
  })
})
