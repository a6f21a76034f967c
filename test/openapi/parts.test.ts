import { describe, expect, it } from 'vitest'
import { headersNamed } from '../../src/openapi/parts.js'

describe('the description of a response header', () => {
  it.each([
    ['Link', /next page/, /^<https:\/\/[^>]+>; rel="next"$/],
    ['RateLimit', /left in the window/, /^"[a-z]+";r=\d+;t=\d+$/],
    ['RateLimit-Policy', /allowed in a window/, /^"[a-z]+";q=\d+;w=\d+$/],
  ] as const)('says what %s means, with a valid example', (name, meaning, example) => {
    expect(headersNamed(name)).toEqual({
      [name]: {
        description: expect.stringMatching(meaning),
        schema: { type: 'string', maxLength: 8192 },
        example: expect.stringMatching(example),
      },
    })
  })
})
