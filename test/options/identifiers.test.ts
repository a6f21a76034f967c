import {
  createAttempts,
  createClientManagement,
  createConnectedApps,
  createMemoryAttempts,
  decideManager,
  moveGrant,
  recordAttempts,
} from 'hallpass/clients'
import { erasePerson } from 'hallpass/operations'
import { testSite } from 'hallpass/testing'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { parse, SOURCES } from '../support/source/imports.js'

const { site, tokenFor } = testSite({ watchers: [recordAttempts(createMemoryAttempts())] })
const ines = { subject: 'mem_ines', orgId: site.id, roles: ['owner'], name: null, email: null, picture: null } // prettier-ignore
const decided = decideManager({ person: ines, table: site.roles })
if (!decided.ok) throw new Error(decided.reason)
const { manager } = decided
const apps = createConnectedApps(site)
const clients = createClientManagement(site)
const attempts = createAttempts(site)
const storage = createMemoryAttempts()
const grant = {
  scopes: ['account:read'], redirectUri: 'http://127.0.0.1/callback', refreshToken: 'a'.repeat(43), expiresAt: site.now() + 60,
} // prettier-ignore
const page = { search: null, outcome: null, before: null, limit: 1, now: site.now() }

/** Calls each public function that a host gives an identifier, once with each of its identifiers as something else. */
const REFUSING: Readonly<Record<string, (id: never) => readonly (() => unknown)[]>> = {
  'ConnectedApps.list': (id) => [() => apps.list(id)],
  'ConnectedApps.disconnect': (id) => [
    () => apps.disconnect({ subject: id, clientId: 'test-member' }),
    () => apps.disconnect({ subject: 'mem_mei', clientId: id }),
  ],
  'ClientManagement.edit': (id) => [
    () => clients.edit(manager, { clientId: id, revision: 1, draft: null as never }),
  ],
  'ClientManagement.disable': (id) => [() => clients.disable(manager, id)],
  'ClientManagement.enable': (id) => [() => clients.enable(manager, id)],
  'ClientManagement.setEnd': (id) => [
    () => clients.setEnd(manager, { clientId: id, endsAt: null }),
  ],
  'ClientManagement.rotateSecret': (id) => [
    () => clients.rotateSecret(manager, { clientId: id, overlapSeconds: 0 }),
  ],
  'ClientManagement.endOldSecret': (id) => [() => clients.endOldSecret(manager, id)],
  'ClientManagement.remove': (id) => [
    () => clients.remove(manager, id),
    () => clients.remove({ ...manager, subject: id }, 'test-member'),
  ],
  'ClientManagement.disconnect': (id) => [
    () => clients.disconnect(manager, { clientId: id, subject: 'mem_mei' }),
    () => clients.disconnect(manager, { clientId: 'test-member', subject: id }),
  ],
  'ClientManagement.disconnectEveryone': (id) => [() => clients.disconnectEveryone(manager, id)],
  'ClientManagement.review': (id) => [
    () => clients.review(manager, { clientId: id, digest: '', scopes: [] }),
  ],
  'ClientManagement.block': (id) => [() => clients.block(manager, id)],
  'ClientManagement.unblock': (id) => [() => clients.unblock(manager, id)],
  'ClientManagement.fetchAgain': (id) => [() => clients.fetchAgain(manager, id)],
  'Attempts.list': (id) =>
    id === undefined ? [] : [() => attempts.list(manager, { clientId: id })],
  'Attempts.explainAttempt': (id) => [() => attempts.explainAttempt(manager, id)],
  'AttemptStore.find': (id) => [() => storage.find(id)],
  'AttemptStore.list': (id) => (id === null ? [] : [() => storage.list({ ...page, clientId: id })]),
  erasePerson: (id) => [() => erasePerson(site, { subject: id })],
  moveGrant: (id) => [
    () => moveGrant(site, { ...grant, clientId: id, subject: 'mem_mei' }),
    () => moveGrant(site, { ...grant, clientId: 'test-member', subject: id }),
  ],
  'Site.findClient': (id) => [() => site.findClient(id)],
}

const CONTRACT = 'the store contract has a check for each method'
const CALLED = 'is a function of the host, which hallpass calls'
const DECIDES = 'decides about values, and asks no store'
const NAMES = 'names a key or a client of the configuration, and asks no store'

/** Functions with an identifier that a store is not asked for. */
const OTHERS: Readonly<Record<string, string>> = {
  'Store.findClient': CONTRACT,
  'Store.revokeGrant': CONTRACT,
  'Store.listGrants': CONTRACT,
  'Store.listClients': CONTRACT,
  'Store.revokeGrants': CONTRACT,
  'Store.revokeGrantsOfClient': CONTRACT,
  'Store.findGrant': CONTRACT,
  'Store.widenGrant': CONTRACT,
  'Store.erasePerson': CONTRACT,
  'AccountContext.enrollmentById': CALLED,
  'AccountContext.orderById': CALLED,
  'AccountContext.registrationById': CALLED,
  'AccountContext.subscriptionById': CALLED,
  'AccountContext.digitalProductById': CALLED,
  'AccountContext.outlineOf': CALLED,
  'AccountSource.lecture': CALLED,
  'AccountSource.savePlayback': CALLED,
  'AccountSource.markLecture': CALLED,
  'AccountSource.cancelEventRegistration': CALLED,
  'AccessSource.findClient': CALLED,
  'AccessSource.findPerson': CALLED,
  'SiteOptions.findPerson': CALLED,
  'Site.findPerson': 'asks the host, and refuses another person than the one it was asked for',
  'Site.notifyRefusal': 'reports what happened',
  'Site.notifyFault': 'reports what happened',
  'AccountExecutor.execute': 'reports what happened',
  decideDocumentUrl: DECIDES,
  decideDevicePoll: DECIDES,
  decidePushedRequest: DECIDES,
  consentKey: DECIDES,
  mintIdToken: DECIDES,
  createRemoteGate: NAMES,
  createNodeSigner: NAMES,
  createJoseSigner: NAMES,
  createRawSigner: NAMES,
}

const IDENTIFIER = /^(?:subject|orgId|kid|id|actor|\w+Id)$/

/** Whether a parameter is an identifier, or has one. */
function namesOne({ name, type }: ts.ParameterDeclaration): boolean {
  const isOne = (node: ts.Node): boolean =>
    (ts.isPropertySignature(node) && IDENTIFIER.test(node.name.getText())) ||
    ts.forEachChild(node, (child) => isOne(child) || undefined) === true
  return (
    (ts.isIdentifier(name) && IDENTIFIER.test(name.text)) || (type !== undefined && isOne(type))
  )
}

/** The public functions, and the methods of public types, that take an identifier. */
function taking(): readonly string[] {
  const exported = new Set(
    SOURCES.filter((path) => !path.includes('/')).flatMap((path) =>
      parse(path).statements.flatMap((one) =>
        ts.isExportDeclaration(one) && one.exportClause && ts.isNamedExports(one.exportClause)
          ? one.exportClause.elements.map(({ name }) => name.text)
          : [],
      ),
    ),
  )
  return SOURCES.flatMap((path) => parse(path).statements).flatMap((one) => {
    if (ts.isFunctionDeclaration(one) && exported.has(one.name!.text))
      return one.parameters.some(namesOne) ? [one.name!.text] : []
    if (!ts.isInterfaceDeclaration(one) || !exported.has(one.name.text)) return []
    return one.members.flatMap((member) => {
      const type = ts.isPropertySignature(member) ? member.type : member
      const isCalled = type && (ts.isMethodSignature(type) || ts.isFunctionTypeNode(type))
      return isCalled && type.parameters.some(namesOne)
        ? [`${one.name.text}.${member.name!.getText()}`]
        : []
    })
  })
}

describe('an identifier that a host passes', () => {
  it.each([7, 0, 7n, true, null, undefined, Buffer.from('7'), new Date(0), ['7'], { id: '7' }])(
    'is refused by the function that it was passed to, unless it is a string: %s [ST-15]',
    async (id) => {
      const token = await tokenFor({ subject: 'mem_mei' }, 'account:read')
      for (const [name, callsOf] of Object.entries(REFUSING))
        for (const call of callsOf(id as never))
          await expect((async () => call())(), name).rejects.toThrow(
            /^\w+: .*(?:must be|is missing)|^(?:find|findClient|list) was given/,
          )
      expect(token).toMatch(/^hpa_/)
      expect(await apps.list('mem_mei')).toHaveLength(1)
    },
  )

  it('is taken by no other public function than those of this table [ST-15]', () => {
    expect(taking().toSorted()).toEqual(
      [...Object.keys(REFUSING), ...Object.keys(OTHERS)].toSorted(),
    )
  })

  it.each([
    {},
    null,
    'mem_mei',
    { subject: null },
    { subject: undefined },
    { subject: 'mem_mei', clientId: undefined },
    { clientId: 'test-member', subject: undefined },
  ])('means all nowhere, also where a list is of whoever is named: %j [ST-15]', async (of) => {
    const query = { of: of as never, after: null, limit: 9, now: site.now() }
    await expect(site.store.listGrants(query)).rejects.toThrow('listGrants was given of')
  })

  it('is named in the message, with what to pass [ST-15]', async () => {
    await expect(apps.disconnect({ subject: 7 as never, clientId: 'a' })).rejects.toThrow(
      'createConnectedApps: disconnect was given subject 7: it must be a string, such as String(id)',
    )
    await expect(site.store.findGrant(7n as never)).rejects.toThrow(
      'findGrant was given a bigint: it must be a string, such as String(id)',
    )
  })
})
