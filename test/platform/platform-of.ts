import { createServer, defineSite } from 'hallpass'
import { createMemoryBudget } from 'hallpass/operations'
import { createPlatform, type PlatformOptions, type School } from 'hallpass/platform'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStorage } from 'hallpass/store'

export interface Row extends School {
  readonly name: string
}

export const rowOf = (host: string, more: Partial<Row> = {}): Row => ({
  issuer: `https://${host}`,
  name: host,
  revision: 1,
  ...more,
})

const page = (): Response => new Response('your page')

/** A server of a school as the examples make it, with one page that names it. */
export const openSchool: PlatformOptions<Row>['open'] = ({ name, revision }, given) =>
  createServer(
    defineSite({
      ...given.site,
      name,
      scopes: schoolScopes,
      roles: schoolRoles,
      findPerson: async () => null,
    }),
    {
      ...given.server,
      interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
      routes: {
        'GET /': (request) => new Response(`${name} ${revision} ${request.url}`),
        'GET /broken': () => Promise.reject(new Error('no database')),
      },
    },
  )

/** A platform over a map of rows by host, which counts what it asks. */
export function platformOf(
  hosts: readonly string[] = ['art.example'],
  more: Partial<PlatformOptions<Row>> = {},
) {
  const rows = new Map(hosts.map((host) => [host, rowOf(host)]))
  const faults: Parameters<NonNullable<PlatformOptions<Row>['onFault']>>[0][] = []
  const asked: string[] = []
  const opened: string[] = []
  const platform = createPlatform<Row>({
    storages: [createMemoryStorage()],
    budget: createMemoryBudget(),
    secret: 'use at least 32 random characters here',
    onFault: (fault) => void faults.push(fault),
    ...more,
    find: async (host) => {
      asked.push(host)
      return more.find === undefined ? (rows.get(host) ?? null) : more.find(host)
    },
    open: (row, given) => {
      opened.push(`${row.issuer} ${row.revision}`)
      return (more.open ?? openSchool)(row, given)
    },
  })
  const get = (url: string, headers: Record<string, string> = {}): Promise<Response> =>
    platform(new Request(url, { headers }))
  return { platform, rows, faults, asked, opened, get }
}

/** A promise that is resolved from outside. */
export function gate() {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
