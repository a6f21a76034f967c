import { sha256Base64url } from '../../../../src/encoding/hash.js'
import type { Fault } from '../broken-server.js'
import { both, type Broken, json, received, requested, returned } from '../faults.js'

const METADATA = '/.well-known/oauth-authorization-server'
const TOKEN = '/api/oauth/token'
/** A verifier of nobody. */
const OTHER = 'v'.repeat(43)

/** Redeems a code without a verifier, or with any that comes. */
function unchecked({
  isAlsoWrong,
  none = null,
}: {
  isAlsoWrong: boolean
  none?: '' | null
}): Fault {
  let challenge: string | null = null
  return {
    store: (store) => ({
      findCode: async (hash) => {
        const code = await store.findCode(hash)
        return code && { ...code, codeChallenge: challenge ?? code.codeChallenge }
      },
    }),
    ...received(TOKEN, (form) => {
      const verifier = form.get('code_verifier')
      if (verifier === none) form.set('code_verifier', OTHER)
      challenge =
        verifier === none || isAlsoWrong ? sha256Base64url(form.get('code_verifier') ?? '') : null
    }),
  }
}

/** Keeps one challenge for each client: that of its last code. */
function oneChallenge(): Fault {
  const challenges = new Map<string, string>()
  return {
    store: (store) => ({
      issueCode: (issue, events) => {
        challenges.set(issue.code.clientId, issue.code.codeChallenge)
        return store.issueCode(issue, events)
      },
      findCode: async (hash) => {
        const code = await store.findCode(hash)
        return code === null ? null : { ...code, codeChallenge: challenges.get(code.clientId)! }
      },
    }),
  }
}

/** Compares hashes of verifiers, and nothing else of them. */
function anyLength(): Fault {
  let short = ''
  const long = (verifier: string): string => verifier.padEnd(43, '-')
  return {
    store: (store) => ({
      findCode: async (hash) => {
        const code = await store.findCode(hash)
        return code !== null && code.codeChallenge === sha256Base64url(short)
          ? { ...code, codeChallenge: sha256Base64url(long(short)) }
          : code
      },
    }),
    ...received(TOKEN, (form) => {
      short = form.get('code_verifier') ?? ''
      if (short !== '') form.set('code_verifier', long(short))
    }),
  }
}

/** Compares the challenge with the verifier itself, for these methods. */
const plain = (methods: readonly (string | null)[]): Fault =>
  requested((query) => {
    const challenge = query.get('code_challenge')
    if (challenge === null || !methods.includes(query.get('code_challenge_method'))) return
    query.set('code_challenge', sha256Base64url(challenge))
    query.set('code_challenge_method', 'S256')
  })

/** Continues without a challenge, as if there was this one. */
const optional = (challenge: string): Fault =>
  requested((query) => {
    if (query.has('code_challenge')) return
    query.set('code_challenge', challenge)
    query.set('code_challenge_method', 'S256')
  })

/** Reads a form without a challenge as if there was one. */
const optionalInForms = received('/oauth/authorize', (form) => {
  if (form.has('code_challenge')) return
  form.set('code_challenge', sha256Base64url(OTHER))
  form.set('code_challenge_method', 'S256')
})

/** Answers prompt=none with a code, as for a person who has allowed it before, if there is no challenge. */
const silent: Fault = {
  wrap: (next) => (request) => {
    const { pathname, searchParams: query } = new URL(request.url)
    const isOurs = query.get('prompt') === 'none' && !query.has('code_challenge')
    if (pathname !== '/oauth/authorize' || !isOurs) return next(request)
    const location = `${query.get('redirect_uri')}?code=remembered&state=${query.get('state')}`
    return new Response(null, { status: 303, headers: { location } })
  },
}

export const pkce: readonly Broken[] = [
  {
    name: 'PKCE is not checked',
    fault: unchecked({ isAlsoWrong: true }),
    violates: ['pkce/wrong-verifier', 'pkce/missing-verifier', 'pkce/verifier-of-another-code'],
    whole: true,
  },
  {
    name: 'PKCE is checked if a verifier comes',
    fault: unchecked({ isAlsoWrong: false }),
    violates: ['pkce/missing-verifier'],
  },
  {
    name: 'an empty verifier is not checked',
    fault: unchecked({ isAlsoWrong: false, none: '' }),
    violates: ['pkce/missing-verifier'],
  },
  {
    name: 'the beginning of a verifier is compared',
    fault: received(TOKEN, (form) => {
      const verifier = form.get('code_verifier')
      if (verifier !== null) form.set('code_verifier', verifier.slice(0, 43))
    }),
    violates: ['pkce/wrong-verifier'],
  },
  {
    name: 'prompt=none needs no challenge',
    fault: silent,
    violates: ['pkce/challenge-required'],
  },
  {
    name: 'a form by POST needs no challenge',
    fault: optionalInForms,
    violates: ['pkce/challenge-required'],
  },
  {
    name: 'a missing challenge is answered by another error',
    fault: returned((to) => {
      if (to.searchParams.get('error_description')?.includes('code_challenge'))
        to.searchParams.set('error', 'access_denied')
    }),
    violates: ['pkce/challenge-error', 'pkce/unknown-method', 'pkce/malformed-challenge'],
  },
  {
    name: 'a method is read in any case',
    fault: requested((query) => {
      if (query.has('code_challenge_method'))
        query.set('code_challenge_method', query.get('code_challenge_method')!.toUpperCase())
    }),
    violates: ['pkce/unknown-method'],
  },
  {
    name: 'PKCE methods are not published',
    fault: json(METADATA, (metadata) => ({
      ...metadata,
      code_challenge_methods_supported: undefined,
    })),
    violates: ['pkce/s256-named'],
  },
  {
    name: 'plain is published',
    fault: json(METADATA, (metadata) => ({
      ...metadata,
      code_challenge_methods_supported: ['S256', 'plain'],
    })),
    violates: ['pkce/plain-not-named'],
  },
  {
    name: 'a request needs no challenge, and its code takes any verifier',
    fault: both(unchecked({ isAlsoWrong: true }), optional(sha256Base64url(OTHER))),
    violates: [
      'pkce/challenge-required',
      'pkce/missing-verifier',
      'pkce/wrong-verifier',
      'pkce/verifier-of-another-code',
      'pkce/verifier-without-challenge',
    ],
  },
  {
    name: 'a request needs no challenge, and its code takes no verifier',
    fault: optional(sha256Base64url(OTHER)),
    violates: ['pkce/challenge-required'],
  },
  {
    name: 'every method but plain is S256',
    fault: requested((query) => {
      if (query.get('code_challenge_method') === 'S512') query.set('code_challenge_method', 'S256')
    }),
    violates: ['pkce/unknown-method'],
  },
  {
    name: 'a challenge is stored as it comes',
    fault: requested((query) => {
      const challenge = query.get('code_challenge') ?? ''
      if (!/^([\w-]{43})?$/.test(challenge)) query.set('code_challenge', sha256Base64url(challenge))
    }),
    violates: ['pkce/malformed-challenge'],
  },
  {
    name: 'plain is supported',
    fault: plain(['plain', null]),
    violates: ['pkce/plain', 'pkce/method-omitted'],
  },
  {
    name: 'plain is refused if it is named, and is the default',
    fault: plain([null]),
    violates: ['pkce/method-omitted'],
  },
  {
    name: 'a verifier may be short',
    fault: anyLength(),
    violates: ['pkce/short-verifier'],
  },
  {
    name: 'a client has one challenge',
    fault: oneChallenge(),
    violates: ['pkce/verifier-of-another-code'],
  },
]
