import { describe, expect, it } from 'vitest'
import { valuesOf } from '../../src/account/api/admission.js'

describe('the values of variables', () => {
  it('are found in what graphql 16 answers', () => {
    expect(valuesOf({ coerced: { n: 1 } })).toEqual({ n: 1 })
  })

  it('are found in what graphql 17 answers', () => {
    const variableValues = { sources: {}, coerced: { n: 1 } }
    expect(valuesOf({ variableValues })).toEqual({ n: 1 })
  })
})
