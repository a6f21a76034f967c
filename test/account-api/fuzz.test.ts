import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSource } from '../support/school/account.js'
import { openAccount } from '../support/school/account-api.js'
import { documentOf } from '../support/school/account-documents.js'
import { memberWith } from '../support/school/account-rows.js'
import { rounds } from '../support/run/rounds.js'
import { STUDENT } from '../support/school/school.js'

async function open() {
  const { source, calls } = createSource(
    new Map([[STUDENT.subject, memberWith('mine', ['1', '2', '3'])]]),
  )
  const opened = await openAccount({ source, bucket: null, pictureHosts: ['images.example'] })
  return { ...opened, calls, token: await opened.tokenFor('account:read account:write') }
}

interface Answer {
  readonly data?: unknown
  readonly errors?: readonly { readonly extensions?: { readonly code?: string } }[]
}

const CODES = [
  'GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'BAD_USER_INPUT', 'QUERY_TOO_DEEP', 'QUERY_TOO_COSTLY',
] // prettier-ignore

describe('a document of the schema', () => {
  it('is answered, or the client learns what is wrong with it; nothing breaks', async () => {
    const { ask, token, faults, calls } = await open()
    let whole = 0
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (g) => {
        const document = documentOf(g)
        const answer = await ask(token, document, { variables: { v: 3 } })
        const { data, errors = [] } = (await answer.json()) as Answer
        const isTooMuch = errors.some(({ extensions }) =>
          extensions?.code?.startsWith('QUERY_TOO_'),
        )
        expect([answer.status, document]).toEqual([isTooMuch ? 400 : 200, document])
        for (const { extensions } of errors) expect(CODES).toContain(extensions?.code)
        expect([faults.map(String), document]).toEqual([[], document])
        if (errors.length > 0) return
        expect(data).toBeTypeOf('object')
        whole++
      }),
      { numRuns: rounds(300, { soak: 5000 }), seed: 7 },
    )
    expect(whole).toBeGreaterThan(50)
    for (const name of ['orders', 'subscriptions', 'courseOutlines', 'markLecture', 'savePlayback'])
      expect(calls).toContain(name)
  })
})
