import { createMemoryAttempts, recordAttempts } from 'hallpass/clients'
import { dpop } from 'hallpass/blocks'
import { createMemoryBudget } from 'hallpass/operations'
import { defineSite, type FaultNotice, OptionsError, type SiteOptions } from 'hallpass'
import { type RoleTable, schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore, type Store } from 'hallpass/store'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { DpopReason } from '../../src/policy/dpop-proof.js'
import { ACME, ISSUER, T } from '../support/school/school.js'

const PINNED = {
  metadata: {
    client_id: 'https://notes.example/client.json',
    client_name: 'Notes',
    redirect_uris: ['https://notes.example/cb'],
  },
  scopes: null,
  checkedOn: '2026-11-01',
}

const NEEDED = ['issuer', 'name', 'store', 'scopes', 'roles', 'findPerson'] as const
const LEAST: SiteOptions = {
  issuer: ISSUER,
  name: 'Lantern Street Drawing School',
  store: createMemoryStore(),
  scopes: schoolScopes,
  roles: schoolRoles,
  findPerson: async () => null,
}

const define = (changes: object = {}) => defineSite({ ...LEAST, ...changes })

describe('a site', () => {
  it('has a default for what is not said', () => {
    expect(define()).toMatchObject({
      id: 'lantern.example',
      vendors: [],
      pinnedDocuments: [],
      documents: null,
      loopbackHosts: ['127.0.0.1', '[::1]', 'localhost'],
      lookalikes: {},
      callDeadlineMilliseconds: 1500,
    })
  })

  it('takes every option that it reads', async () => {
    const everything: Omit<
      Required<SiteOptions<string, Store, DpopReason>>,
      (typeof NEEDED)[number]
    > = {
      id: 'lantern',
      resources: ['https://grades.example'],
      vendors: [ACME, { ...ACME, clientId: 'other', name: 'Other' }],
      documents: {
        fetchDocument: async () => new Response(),
        allowedHosts: ['notes.example'],
        openRegistration: true,
        ports: [443, 8443],
      },
      callDeadlineMilliseconds: 1,
      stepUpLinks: true,
      pinnedDocuments: [PINNED],
      memberClients: () => true,
      loopbackHosts: ['127.0.0.1'],
      lookalikes: { '\u0251': 'a' },
      budget: createMemoryBudget(),
      allowances: { codesOfPerson: { amount: 3, seconds: 60 }, fetchesOfSite: null },
      networkOf: () => '203.0.113.7',
      watchers: [recordAttempts(createMemoryAttempts())],
      requestIdOf: () => 'proxy-7',
      onEvent: () => {},
      outbox: true,
      blocks: [dpop({ once: createMemoryStore() })],
      onRefusal: () => {},
      onFault: () => {},
      now: () => T,
      randomBytes: (length: number) => new Uint8Array(length),
    }
    const { vendors, documents, pinnedDocuments, loopbackHosts, lookalikes, id } = everything
    const defined = define(everything)
    expect(defined).toMatchObject({ vendors, documents, pinnedDocuments, loopbackHosts, id })
    expect(await defined.lookalikes()).toBe(lookalikes)
  })

  it.each(NEEDED)('is none without %s', (name) => {
    expect(() => define({ [name]: undefined })).toThrow(
      new RegExp(`^site: ${name} is missing: [^;]+$`),
    )
  })

  it('is frozen', () => {
    expect(Object.isFrozen(define())).toBe(true)
  })

  it('allows member clients unless told otherwise', async () => {
    expect(await define().memberClients()).toBe(true)
    expect(await define({ memberClients: () => false }).memberClients()).toBe(false)
  })

  it('takes its time from the clock of the machine where none is given', () => {
    const clock = vi.spyOn(Date, 'now').mockReturnValue(1_795_165_200_999)
    onTestFinished(() => clock.mockRestore())
    expect(define().now()).toBe(1_795_165_200)
  })

  it('tells of a hook that fails, by its name, and goes on', () => {
    const faults: unknown[] = []
    const fault = new Error('the log is full')
    const fail = (): never => {
      throw fault
    }
    const site = define({
      onEvent: fail,
      onRefusal: fail,
      onFault: (notice: unknown) => faults.push(notice),
      now: () => T,
    })
    const requestId = 'req_1'
    site.onEvent({
      type: 'oauth.authorization.denied',
      at: T,
      clientId: 'a',
      subject: 'b',
      requestId,
    })
    site.notifyRefusal('token', { ok: false, error: 'invalid_grant', reason: 'code_unknown' })
    expect(faults).toEqual([
      { at: T, endpoint: 'onEvent', fault, requestId: null },
      { at: T, endpoint: 'onRefusal', fault, requestId: null },
    ])
  })

  it('tells of a refusal who asked, cut to 256 characters, and in which request', () => {
    const notices: unknown[] = []
    const site = define({ onRefusal: (notice: unknown) => notices.push(notice), now: () => T })
    const refusal = { ok: false, error: 'invalid_grant', reason: 'code_unknown' } as const
    site.notifyRefusal('token', refusal, { clientId: 'x'.repeat(300) })
    site.notifyRefusal('admin', refusal, { requestId: 'req_1' })
    const { error, reason } = refusal
    const said = { at: T, error, reason }
    expect(notices).toEqual([
      { ...said, endpoint: 'token', clientId: 'x'.repeat(256), requestId: null },
      { ...said, endpoint: 'admin', clientId: null, requestId: 'req_1' },
    ])
  })

  it.each([
    'https://school.example', 'https://school.example:8443', 'http://127.0.0.1:3000', 'http://localhost', 'http://[::1]:3000',
    'http://art.localhost:3000', 'http://evening.art.localhost',
  ])('takes the issuer %s', (issuer) => {
    expect(define({ issuer }).resource.canonical).toBe(issuer)
  }) // prettier-ignore

  it.each([
    'https://school.example/', 'https://school.example/path', 'https://School.example', 'https://school.example:443', 'http://school.example',
    'http://127.0.0.1.evil.test', 'https://u@school.example', 'https://school.example?x', 'https://school.example#x', 'ftp://school.example',
    'school.example', '', 'http://127.0.0.2:3000', 'https://', 'http://localhost.evil.test', 'http://evil-localhost', 'http://.localhost', 'http://Art.localhost', 'http://art.localhost.', 'https://school.example:99999',
  ])('does not start with the issuer %j [DISC-01]', (issuer) => {
    expect(() => define({ issuer })).toThrow(
      new OptionsError('site', [
        `issuer must be an origin such as https://school.example, without a path or a trailing slash, and with http only on a loopback host, not "${issuer}"`,
      ]),
    )
  }) // prettier-ignore

  it('asks what options are to each other once each is right by itself', () => {
    const roles: RoleTable = { helper: { staff: true, scopes: ['coruses:write'] } }
    const vendors = [{ ...ACME, scopes: ['x'] }, { ...ACME }]
    expect(() => define({ roles, vendors, issuer: 'x', vendros: [] })).toThrow(
      /^site: vendros is not an option: did you mean vendors\?; issuer must be [^;]+$/,
    )
    expect(() => define({ roles, vendors, lookalikes: {} })).toThrow(
      new OptionsError('site', [
        'roles.helper names the scope "coruses:write", which is not in the scope registry: rolesFor(scopes, roles) leaves out such scopes',
        'vendors: Acme Agents names the scope "x", which is not in the scope registry',
        'two vendors have the same clientId',
        'two vendors have the same name',
      ]),
    )
  })

  it.each<[string, object, string]>([
    [
      'a pinned document with an unknown scope',
      { pinnedDocuments: [{ ...PINNED, scopes: ['x'] }] },
      'pinnedDocuments[0] names the scope "x", which is not in the scope registry',
    ],
    [
      'a pinned document that is none',
      { pinnedDocuments: [PINNED, { ...PINNED, metadata: null }] },
      'pinnedDocuments[1]: a client_id URL must be https with a lower-case host and a path, and without fragment, user information, dot segments, :443, or characters that need escaping',
    ],
    [
      'a vendor of another time',
      { vendors: [{ ...ACME, reviewedOn: '20 November' }] },
      'vendors[0].reviewedOn must be a date such as "2026-11-20", not "20 November"',
    ],
    [
      'a vendor with a field that nobody reads',
      { vendors: [ACME, { ...ACME, name: 'Other', clientId: 'other', scope: null }] },
      'vendors[1].scope is not an option: did you mean scopes?',
    ],
    [
      'a vendor whose address a browser runs',
      { vendors: [{ ...ACME, redirectUris: ['javascript:alert(1)'] }] },
      `vendors[0].redirectUris[0] must be an https URI, an http URI on a loopback host or a URI with a scheme of the app's own, such as https://app.example/callback, http://127.0.0.1/callback or com.example.app:/callback, not "javascript:alert(1)"`,
    ],
    [
      'two vendors of one name',
      { vendors: [ACME, { ...ACME, clientId: 'acme-2' }] },
      'two vendors have the same name',
    ],
  ])('does not start with %s', (_, changes, mistake) => {
    expect(() => define({ lookalikes: {}, ...changes })).toThrow(
      new OptionsError('site', [mistake]),
    )
  })

  it('takes vendors on every loopback host, and on those that the site names', () => {
    const vendor = { ...ACME, redirectUris: ['http://localhost/cb', 'http://devbox.test/cb'] }
    const defineWith = (loopbackHosts: readonly string[]) => () =>
      define({ vendors: [vendor], loopbackHosts, lookalikes: {} })
    expect(defineWith(['devbox.test'])).not.toThrow()
    expect(defineWith(['127.0.0.1'])).toThrow('not "http://devbox.test/cb"')
  })
})

describe('requestIdOf', () => {
  const idOf = (requestIdOf: SiteOptions['requestIdOf']) => {
    const faults: unknown[] = []
    const site = define({
      requestIdOf,
      onFault: ({ endpoint }: FaultNotice) => faults.push(endpoint),
    })
    return [site.requestIdOf((name) => `the ${name} header`), faults]
  }

  it.each(['proxy-7', 'Root-1:67.a_b', 'x'.repeat(128)])('may return %j', (id) => {
    expect(idOf(() => id)).toEqual([id, []])
  })

  it.each(['', 'a b', 'a\r\nset-cookie: b', 'é', 'x'.repeat(129), null])(
    'is not used where it returns %j [LOG-07]',
    (id) => {
      expect(idOf(() => id)).toEqual([null, []])
    },
  )

  it('reads a header, and may fail', () => {
    expect(idOf((header) => header('a')!.replaceAll(' ', '_'))).toEqual(['the_a_header', []])
    const fails = (): never => {
      throw new Error('no')
    }
    expect(idOf(fails)).toEqual([null, ['requestIdOf']])
    expect(idOf(() => 7 as never)).toEqual([null, ['requestIdOf']])
  })
})
