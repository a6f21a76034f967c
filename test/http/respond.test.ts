import { expect, it } from 'vitest'
import { describe as descriptionOf, PERSONAL } from '../../src/http/respond.js'
import { refuse } from '../../src/policy/decision.js'

it('a personal answer is kept by nobody, and read as what it is', () => {
  expect(PERSONAL).toEqual([
    'cache-control', 'no-store',
    'vary', 'Authorization',
    'x-content-type-options', 'nosniff',
  ]) // prettier-ignore
})

it('a refusal without a description is its error in words', () => {
  expect(descriptionOf(refuse('access_denied', 'person_denied'))).toBe('access denied')
  expect(descriptionOf(refuse('invalid_request', 'token_missing', 'send a token'))).toBe(
    'send a token',
  )
})
