import fc from 'fast-check'
import { decideRepeatedResource, decideResource } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { anyUrl } from '../support/http/urls.js'

export const ORIGIN = 'https://lantern.example'

/**
 * What holds for the names of the resource of `ORIGIN`, however many spellings they have.
 *
 * @param names - `accepted`: all spellings, or some of each kind; `refused`: others; `isListed`: says the same of any
 *   text, in another way
 */
export function describeResource({
  names,
  accepted,
  refused,
  isListed,
}: {
  names: Parameters<typeof decideResource>[0]['names']
  accepted: readonly string[]
  refused: readonly string[]
  isListed: (resource: string) => boolean
}): void {
  describe('decideResource', () => {
    it.each(accepted)('reads %s as the origin', (resource) => {
      expect(decideResource({ resources: [resource], names, required: true })).toEqual({
        ok: true,
        resource: ORIGIN,
      })
    })

    it('reads several spellings of the one resource as one', () => {
      expect(decideResource({ resources: accepted, names, required: true })).toEqual({
        ok: true,
        resource: ORIGIN,
      })
    })

    it('falls back to the origin only where none is required', () => {
      expect(decideResource({ resources: [], names, required: false })).toEqual({
        ok: true,
        resource: ORIGIN,
      })
      expect(decideResource({ resources: [], names, required: true })).toEqual({
        ok: false,
        error: 'invalid_target',
        reason: 'resource_missing',
        description: 'resource is required: send resource=https://lantern.example',
      })
    })

    it.each(refused)('refuses %j, also beside a good one', (resource) => {
      const refusal = { ok: false, error: 'invalid_target', reason: 'resource_unknown' }
      expect(decideResource({ resources: [resource], names, required: false })).toMatchObject(
        refusal,
      )
      for (const resources of [
        [ORIGIN, resource],
        [resource, ORIGIN],
      ])
        expect(decideResource({ resources, names, required: true })).toMatchObject(refusal)
    })

    it('accepts no string but the listed ones', () => {
      fc.assert(
        fc.property(
          fc.oneof(anyUrl(), fc.string(), fc.constantFrom(...accepted)),
          fc.string({ maxLength: 3 }),
          (text, suffix) => {
            const resource = text + suffix
            const decided = decideResource({ resources: [resource], names, required: true })
            expect(decided.ok).toBe(isListed(resource))
          },
        ),
      )
    })
  })

  describe('decideRepeatedResource', () => {
    const ask = (resources: string[], required = true, bound = ORIGIN): unknown =>
      decideRepeatedResource({ resources, names, bound, required })

    it('accepts any spelling of the resource that is bound', () => {
      for (const resource of accepted) expect(ask([resource])).toEqual({ ok: true })
    })

    it('inherits where none is required', () => {
      expect(ask([], false)).toEqual({ ok: true })
      expect(ask([], true)).toMatchObject({ error: 'invalid_target', reason: 'resource_missing' })
    })

    it('refuses another resource as a mismatched grant', () => {
      const refusal = { ok: false, error: 'invalid_grant', reason: 'resource_mismatch' }
      expect(ask(['https://kiln.example'])).toEqual(refusal)
      expect(ask([ORIGIN, 'https://kiln.example'], false)).toEqual(refusal)
    })

    it('refuses what was bound to another origin', () => {
      expect(ask([ORIGIN], true, 'https://kiln.example')).toMatchObject({
        reason: 'resource_mismatch',
      })
    })
  })
}
