import type { Store } from 'hallpass/store'
import { hashToken } from 'hallpass/token'
import type { Fault } from '../broken-server.js'
import { both, type Broken, failing, issueAnyway, received, returned } from '../faults.js'

const TOKEN = '/api/oauth/token'

/** A store whose last step does not look whether the code is still unused. */
export const unguarded = (store: Store): Pick<Store, 'redeemCode'> => ({
  redeemCode: async (redemption, events) => {
    if ((await store.redeemCode(redemption, events)) !== 'redeemed')
      await issueAnyway(store, redemption)
    return 'redeemed'
  },
})

/** Finds every code as if this parameter of the token request was stored with it. */
function takenFrom(
  parameter: string,
  change: (value: string, store: Store) => Promise<object>,
): Fault {
  let value: string | null = null
  return {
    store: (store) => ({
      findCode: async (hash) => {
        const code = await store.findCode(hash)
        return code && value !== null ? { ...code, ...(await change(value, store)) } : code
      },
    }),
    wrap: (next) => async (request) => {
      if (new URL(request.url).pathname !== TOKEN) return next(request)
      value = new URLSearchParams(await request.clone().text()).get(parameter)
      const answer = await next(request)
      value = null
      return answer
    },
  }
}

/** Replaces the codes of the server: those that it gave, by what it should have given. */
function named(name: (code: string) => string): Fault {
  const codes = new Map<string, string>()
  return both(
    returned((to) => {
      const code = to.searchParams.get('code')
      if (code === null) return
      codes.set(name(code), code)
      to.searchParams.set('code', name(code))
    }),
    received(TOKEN, (form) => {
      const code = codes.get(form.get('code') ?? '')
      if (code !== undefined) form.set('code', code)
    }),
  )
}

/** Finds a code by another comparison of what was sent. */
function found(isSame: (sent: string, code: string) => boolean): Fault {
  const codes: string[] = []
  return both(
    returned((to) => {
      codes.push(to.searchParams.get('code') ?? 'none')
    }),
    received(TOKEN, (form) => {
      const known = codes.find((one) => isSame(form.get('code') ?? '', one))
      if (known !== undefined) form.set('code', known)
    }),
  )
}

/** Remembers that a code was used until the next one is. */
function forgetful(): Fault {
  let last: string | null = null
  return {
    store: (store) => ({
      findCode: async (hash) => {
        const code = await store.findCode(hash)
        return code && hash !== last ? { ...code, redeemedAt: null } : code
      },
      redeemCode: async (redemption, events) => {
        const isLast = redemption.codeHash === last
        last = redemption.codeHash
        return (isLast ? store : unguarded(store)).redeemCode(redemption, events)
      },
    }),
  }
}

/** Revokes grants, and lets the gates take their access tokens for valid. */
function accessLives(): Fault {
  return {
    store: (store) => ({
      findAccessToken: async (hash) => {
        const found = await store.findAccessToken(hash)
        return found?.grant.revokedReason === 'code_replayed'
          ? { ...found, grant: { ...found.grant, revokedAt: null, revokedReason: null } }
          : found
      },
    }),
  }
}

export const code: readonly Broken[] = [
  {
    name: 'a code works again and again',
    fault: {
      store: (store) => ({
        ...unguarded(store),
        findCode: async (hash) => {
          const found = await store.findCode(hash)
          return found && { ...found, redeemedAt: null }
        },
      }),
    },
    violates: [
      'code/used-twice',
      'code/used-twice-revokes',
      'code/used-later',
      'code/raced',
      'device/once',
    ],
    whole: true,
  },
  {
    name: 'the last used code is remembered alone',
    fault: forgetful(),
    violates: ['code/used-later'],
  },
  {
    name: 'two requests at once redeem a code',
    fault: { store: unguarded },
    violates: ['code/raced'],
  },
  {
    name: 'a code that is used again ends nothing',
    fault: {
      store: (store) => ({
        revokeGrant: async (revocation, events) =>
          revocation.revokedReason === 'code_replayed'
            ? 'missing'
            : store.revokeGrant(revocation, events),
      }),
    },
    violates: ['code/used-twice-revokes'],
  },
  {
    name: 'a code that is used again ends the refresh token alone',
    fault: accessLives(),
    violates: ['code/used-twice-revokes'],
  },
  {
    name: 'any client redeems a code',
    fault: takenFrom('client_id', async (clientId, store) => ({
      clientId,
      client: await store.findClient(clientId),
    })),
    violates: ['code/of-another-client', 'device/other-client'],
  },
  {
    name: 'a client with a secret redeems every code',
    fault: takenFrom('client_id', async (clientId, store) =>
      clientId === 'desk' ? { clientId, client: await store.findClient(clientId) } : {},
    ),
    violates: ['code/of-another-client'],
  },
  {
    name: 'a code comes with any redirect URI',
    fault: takenFrom('redirect_uri', async (redirectUri) => ({ redirectUri })),
    violates: ['code/other-redirect-uri'],
  },
  {
    name: 'the token endpoint reads the query',
    fault: {
      wrap: (next) => async (request) => {
        const url = new URL(request.url)
        if (url.pathname !== TOKEN || url.search === '') return next(request)
        const form = new URLSearchParams(await request.clone().text())
        for (const [name, value] of url.searchParams) form.append(name, value)
        return next(new Request(url, { method: 'POST', headers: request.headers, body: form.toString() })) // prettier-ignore
      },
    },
    violates: ['code/in-query'],
  },
  {
    name: 'a code is cut to the width of its column',
    fault: found((sent, code) => sent.startsWith(code)),
    violates: ['code/changed'],
  },
  {
    name: 'a code is found by its beginning',
    fault: found((sent, code) => sent.length > 30 && code.startsWith(sent)),
    violates: ['code/changed'],
  },
  {
    name: 'codes are counted',
    fault: (() => {
      let count = 1000
      const numbers = new Map<string, string>()
      return named((given) => {
        const number = numbers.get(given) ?? String(++count)
        numbers.set(given, number)
        return number
      })
    })(),
    violates: ['code/unguessable'],
  },
  {
    name: 'codes are a time and little else',
    fault: named((given) => `1795165200${given.slice(10, 14)}`),
    violates: ['code/unguessable'],
  },
  {
    name: 'an unknown code is a request that nobody understands',
    fault: {
      wrap:
        (next, { store }) =>
        async (request) => {
          const form = new URLSearchParams(await request.clone().text())
          const given = new URL(request.url).pathname === TOKEN ? form.get('code') : null
          return given === null || (await store.findCode(hashToken(given))) !== null
            ? next(request)
            : Response.json({ error: 'invalid_request' }, { status: 400 })
        },
    },
    violates: ['code/unknown'],
  },
  {
    name: 'a code that is refused is an exception',
    fault: failing(TOKEN),
    violates: ['code/unknown'],
    unknown: [
      'code/changed',
      'code/in-query',
      'code/of-another-client',
      'code/other-redirect-uri',
      'code/used-later',
      'code/used-twice',
      'code/used-twice-revokes',
    ],
  },
  {
    name: 'no code works',
    fault: received(TOKEN, (form) => {
      if (form.has('code')) form.set('code', 'unknown')
    }),
    violates: [],
    unknown: [
      'code/changed',
      'code/in-query',
      'code/of-another-client',
      'code/other-redirect-uri',
      'code/raced',
      'code/unguessable',
      'code/used-later',
      'code/used-twice',
      'code/used-twice-revokes',
    ],
  },
]
