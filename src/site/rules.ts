import {
  callback,
  custom,
  flag,
  host,
  isObject,
  kindOf,
  list,
  made,
  methods,
  optional,
  orNull,
  positive,
  quoted,
  type Rules,
  shape,
  simple,
  text,
  unlike,
  whole,
} from '../options/check.js'
import { day, time, vendorMistakes, vendorRule } from './client-rules.js'
import { clientOfPinnedDocument, type PinnedDocument } from '../policy/cimd-lifecycle.js'
import { foldName } from '../policy/vendor-match.js'
import type { ScopeRegistry } from '../scope/scope-registry.js'
import type { RoleTable } from '../scope/role.js'
import { CORE_RESULTS, groupMistakes, STORE_GROUPS, type StoreWith } from '../store/groups.js'
import { guaranteeMistakes } from '../store/guarantees.js'
import { isEpochSeconds } from '../time/seconds.js'
import { type Block, blockMistakes } from './block.js'
import { ALLOWANCES, type Budget, type Expense } from './budget.js'
import type { SiteOptions } from './options.js'
import type { Watch } from './watcher.js'

/** Finds the scopes of an option that are not in the registry. */
export const unknownScopes = (
  option: string,
  scopes: readonly string[],
  registry: ScopeRegistry,
): readonly string[] =>
  scopes
    .filter((scope) => registry.get(scope) === undefined)
    .map((scope) => `${option} names the scope "${scope}", which is not in the scope registry`)

/** Names below `localhost` resolve to this computer as well (RFC 6761, section 6.3), so that schools can have one each. */
const LOOPBACK_ORIGIN =
  /^http:\/\/(?:127\.0\.0\.1|\[::1\]|(?:[a-z0-9-]+\.)*localhost)(?::\d{1,5})?$/
const HTTPS_ORIGIN = /^https:\/\/[a-z0-9.-]+(?::\d{1,5})?$/
const ORIGIN =
  'an origin such as https://school.example, without a path or a trailing slash, and with http only on a loopback host'

const isOrigin = (value: unknown): boolean =>
  typeof value === 'string' &&
  (LOOPBACK_ORIGIN.test(value) || HTTPS_ORIGIN.test(value)) &&
  URL.canParse(value) &&
  new URL(value).origin === value

function clockMistakes(clock: unknown, name: string): readonly string[] {
  if (typeof clock !== 'function') return unlike(name, CLOCK, clock)
  try {
    const at: unknown = (clock as () => unknown)()
    if (typeof at !== 'number') return [`${name} must be ${CLOCK}: it returned ${kindOf(at)}`]
    const fits: boolean = isEpochSeconds(at)
    if (fits) return []
    return Number.isInteger(at)
      ? [`${name} must return seconds, not milliseconds: it returned ${at}`]
      : [`${name} must return whole seconds: it returned ${at}`]
  } catch (fault) {
    return [`${name} must be ${CLOCK}: it threw ${String(fault)}`]
  }
}
const CLOCK = 'a function such as () => Math.floor(Date.now() / 1000)'

const isTable = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((letters) => typeof letters === 'string')

const storeMethods = methods<StoreWith>(
  'createMemoryStore() or createPostgresStore({ execute, site })',
  CORE_RESULTS,
  STORE_GROUPS,
)

const origin = simple<string>(ORIGIN, isOrigin, quoted)

const scopeList = list(text('"courses:read"'))

/** The rule of each option of a site. */
export const SITE_RULES: Rules<SiteOptions<string, StoreWith, string>> = {
  issuer: origin,
  resources: optional(list(origin)),
  name: text('"My School"'),
  id: optional(text('"my-school"')),
  store: custom(storeMethods.wanted, (value, name) => [
    ...storeMethods.mistakes(value, name),
    ...guaranteeMistakes(value, name),
  ]),
  scopes: made<ScopeRegistry>('a registry of scopes such as defineScopes({ … })', {
    names: 'object',
    get: 'function',
  }),
  roles: custom('a table of roles such as { owner: { staff: true, scopes: "all" } }', roleMistakes),
  findPerson: callback('(subject) => people.find(subject)'),
  vendors: optional(list(vendorRule)),
  documents: optional(
    shape<NonNullable<SiteOptions['documents']>>('{ fetchDocument, allowedHosts }', {
      fetchDocument: callback('createDocumentFetcher() from hallpass/node'),
      allowedHosts: optional(list(host)),
      openRegistration: optional(flag),
      ports: optional(list(whole(1, 65_535))),
    }),
  ),
  pinnedDocuments: optional(
    list(
      shape<PinnedDocument>('{ metadata, scopes, checkedOn }', {
        metadata: custom('the document as parsed JSON', () => []),
        scopes: orNull(scopeList),
        checkedOn: day('"2026-11-22"'),
        endsAt: optional(orNull(time)),
      }),
    ),
  ),
  memberClients: optional(callback('() => settings.memberClients')),
  loopbackHosts: optional(list(text('"localhost"'))),
  lookalikes: optional(simple('a table such as { ...LOOKALIKES, "ɑ": "a" }', isTable)),
  budget: optional(methods<Budget>('createMemoryBudget()', { spend: true })),
  allowances: optional(
    custom('a table such as { codesOfPerson: { amount: 100, seconds: 86400 } }', allowanceMistakes),
  ),
  networkOf: optional(callback('networkOf from hallpass/node')),
  callDeadlineMilliseconds: optional(whole(1, 60_000)),
  requestIdOf: optional(callback("(header) => header('x-request-id')")),
  onEvent: optional(callback('(event) => audit.record(event)')),
  outbox: optional(flag),
  stepUpLinks: optional(flag),
  watchers: optional(list(callback<Watch>('recordAttempts(createMemoryAttempts())'))),
  blocks: optional(
    list(
      made<Block>('a block of hallpass/blocks, such as dpop()', {
        kind: 'symbol',
        name: 'string',
      }),
    ),
  ),
  onRefusal: optional(callback('(notice) => console.warn(notice)')),
  onFault: optional(callback('(notice) => console.error(notice)')),
  now: optional(custom(CLOCK, clockMistakes)),
  randomBytes: optional(callback('(length) => crypto.getRandomValues(new Uint8Array(length))')),
}

function roleMistakes(roles: unknown, name: string): readonly string[] {
  if (!isObject(roles)) return unlike(name, 'a table of roles', roles)
  return Object.entries(roles).flatMap(([role, definition]) =>
    ROLE.mistakes(definition, `${name}.${role}`),
  )
}
const ROLE = shape<RoleTable[string]>('{ staff, scopes }', {
  staff: flag,
  scopes: custom('"all" or an array of scopes', (value, name) =>
    value === 'all' ? [] : scopeList.mistakes(value, name),
  ),
  managesClients: optional(flag),
})

function allowanceMistakes(allowances: unknown, name: string): readonly string[] {
  if (!isObject(allowances)) return unlike(name, 'a table of allowances', allowances)
  return Object.entries(allowances).flatMap(([budget, allowance]) =>
    Object.hasOwn(ALLOWANCES, budget)
      ? orNull(ALLOWANCE).mistakes(allowance, `${name}.${budget}`)
      : [`${name} has no budget ${budget}: its budgets are ${Object.keys(ALLOWANCES).join(', ')}`],
  )
}
const ALLOWANCE = shape<Expense['allowance']>('{ amount, seconds } or null', {
  amount: positive,
  seconds: positive,
})

/** Finds the contradictions between options that are valid by themselves. */
export function contradictionsOf({
  issuer,
  resources = [],
  store,
  outbox = false,
  stepUpLinks = false,
  scopes,
  roles,
  vendors = [],
  pinnedDocuments = [],
  loopbackHosts = [],
  blocks = [],
}: SiteOptions<string, StoreWith, string>): readonly string[] {
  return [
    ...blockMistakes(blocks),
    ...blocks
      .filter(({ isOnceOfSite }) => isOnceOfSite)
      .flatMap(({ name }) => groupMistakes(name, store, 'once'))
      .map((mistake) => `${mistake}. Pass another store to it as once`),
    ...(outbox ? groupMistakes('outbox', store, 'outbox') : []),
    ...(stepUpLinks ? groupMistakes('stepUpLinks', store, 'stepUp') : []),
    ...Object.entries(roles).flatMap(([role, definition]) =>
      unknownScopes(
        `roles.${role}`,
        definition.scopes === 'all' ? [] : definition.scopes,
        scopes,
      ).map((mistake) => `${mistake}: rolesFor(scopes, roles) leaves out such scopes`),
    ),
    ...(hasTwins([issuer, ...resources])
      ? ['resources names an origin twice: the issuer is one already']
      : []),
    ...vendorMistakes(vendors, loopbackHosts),
    ...vendors.flatMap((vendor) =>
      unknownScopes(`vendors: ${vendor.name}`, vendor.scopes ?? [], scopes),
    ),
    ...(hasTwins(vendors.map(({ clientId }) => clientId))
      ? ['two vendors have the same clientId']
      : []),
    ...(hasTwins(vendors.map(({ name }) => foldName(name)))
      ? ['two vendors have the same name']
      : []),
    ...pinnedDocuments.flatMap((pinned, index) => {
      const decided = clientOfPinnedDocument(pinned)
      return [
        ...(decided.ok ? [] : [`pinnedDocuments[${index}]: ${decided.description}`]),
        ...unknownScopes(`pinnedDocuments[${index}]`, pinned.scopes ?? [], scopes),
      ]
    }),
  ]
}

const hasTwins = (values: readonly string[]): boolean => new Set(values).size < values.length
