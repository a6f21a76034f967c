import {
  ANY,
  COUNT,
  LIST,
  oneOf,
  orNull,
  record,
  SECONDS,
  TEXT,
  type Wanted,
} from '../options/wanted.js'
import { guarded, readAs, UnusableValue } from '../store/guard.js'
import type { AccountSource, Member, Place, Rows } from './source.js'

/** Reads what a function of the source returned. */
const read = <Returned>(name: string, returned: Returned, wanted: Wanted): Returned =>
  readAs(returned, wanted, `${name} returned`)

const PAGE = record({ rows: LIST, total: orNull(COUNT) })

/**
 * Reads a page of rows. A source that does not look at the position would return the same page for ever to a client
 * that asks for the next one.
 */
function readRows<Row extends { readonly id: string }>(
  name: string,
  returned: Rows<Row>,
  { after, before }: { after: Place | null; before: Place | null },
): Rows<Row> {
  read(name, returned, PAGE)
  for (const row of returned.rows) {
    read(`${name}: a row`, row, record({ id: TEXT }))
    if (row.id === after?.id || row.id === before?.id)
      throw new UnusableValue(
        `${name} returned the row at which the page begins or ends: return those after \`after\` and before \`before\`, as pageOf does`,
      )
  }
  return returned
}

const wrapped = new WeakMap<AccountSource, AccountSource>()

/** Wraps a source so that what its functions return is read first: a wrong value is an {@link UnusableValue}. */
export function readSource(source: AccountSource): AccountSource {
  const known = wrapped.get(source) ?? wrap(source)
  wrapped.set(source, known)
  return known
}

function wrap(source: AccountSource): AccountSource {
  /** Wraps a function, whose exceptions then have its name as well. */
  const wanted = <Name extends keyof AccountSource>(
    name: Name,
    result: Wanted,
  ): AccountSource[Name] => {
    const call = source[name] as (...parameters: readonly unknown[]) => Promise<unknown>
    return guarded(name, async (...parameters: readonly unknown[]) =>
      read(name, (await call.apply(source, [...parameters])) ?? null, result),
    ) as unknown as AccountSource[Name]
  }
  const list = <
    Query extends { after: Place | null; before: Place | null },
    Row extends { readonly id: string },
  >(
    name: string,
    load: (member: Member, query: Query) => Promise<Rows<Row>>,
  ) =>
    guarded(name, async (member: Member, query: Query) =>
      readRows(name, await load.call(source, member, query), query),
    )
  return {
    profile: wanted('profile', orNull(record({ email: orNull(TEXT), memberSince: SECONDS }))),
    site: wanted('site', record({ id: TEXT, name: TEXT })),
    enrollments: list('enrollments', source.enrollments),
    orders: list('orders', source.orders),
    eventRegistrations: list('eventRegistrations', source.eventRegistrations),
    subscriptions: list('subscriptions', source.subscriptions),
    digitalProducts: list('digitalProducts', source.digitalProducts),
    courseOutlines: wanted('courseOutlines', {
      words: 'a Map from identifiers of courses to lists of sections',
      fits: (value) => value instanceof Map && [...value.values()].every(Array.isArray),
    }),
    lecture: wanted('lecture', orNull(record({}))),
    savePlayback: wanted('savePlayback', oneOf('saved', 'stale')),
    markLecture: wanted('markLecture', ANY),
    cancelEventRegistration: wanted('cancelEventRegistration', oneOf('cancelled', 'conflict')),
    updateProfile: wanted('updateProfile', ANY),
  }
}
