import { bearer, type Service, type SiteName, tokenSupply } from './service.js'

/** A schema of JSON, as the description of the admin API has it. */
export interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
}

/** An operation of the admin API, from its own description. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly scope: string
  readonly query: readonly { readonly name: string; readonly schema: Schema }[]
  readonly hasBody: boolean
  readonly body: Schema
}

interface Described {
  readonly operationId: string
  readonly security: readonly [Readonly<Record<string, readonly string[]>>]
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[] // prettier-ignore
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>
  }
}

/** Reads the operations below `/api/v1` from `/openapi.json`. */
export async function operationsOf(service: Service): Promise<readonly Operation[]> {
  const { text } = await service.send({ path: '/openapi.json' })
  const { paths } = JSON.parse(text) as {
    paths: Record<string, Record<string, Described | undefined>>
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, described]) => {
      const scope = described?.security?.[0]?.['oauth2']?.[0]
      if (described === undefined || scope === undefined) return []
      const { operationId: id, parameters = [], requestBody } = described
      return {
        id,
        method: method.toUpperCase(),
        path: `/api/v1${path.replace(/^\/api\/v1/, '')}`,
        scope,
        query: parameters.filter((one) => one.in === 'query'),
        hasBody: requestBody !== undefined,
        body: requestBody?.content['application/json']?.schema ?? {},
      }
    }),
  )
  if (operations.length < 100) throw new Error(`only ${operations.length} operations are described`)
  return operations
}

/** The path of an operation, with an identifier in it. */
export const pathOf = ({ path }: Operation, id: string): string =>
  path.replace(/\{\w+\}/g, encodeURIComponent(id))

const ID = /"([a-z]{3,4}_[a-z]{0,2}\d[a-z0-9_]{0,20})"/g

/** Every identifier that the lists of a school show, and what is below the things in them. */
export async function idsIn(service: Service, site: SiteName): Promise<ReadonlySet<string>> {
  const operations = (await operationsOf(service)).filter(({ method }) => method === 'GET')
  const token = await tokenSupply(service, 400, { site })
  const ids = new Set<string>()
  const read = async (path: string): Promise<void> => {
    const { text } = await service.send({ path, headers: bearer(token()) }, site)
    for (const [, id] of text.matchAll(ID)) ids.add(id!)
  }
  for (const { path } of operations.filter((one) => !one.path.includes('{'))) await read(path)
  const kinds = new Map([...ids].map((id) => [kindOf(id), id]))
  for (const operation of operations.filter(({ path }) => path.includes('{id}/')))
    for (const id of kinds.values()) await read(pathOf(operation, id))
  return ids
}

/** The kind of an identifier: what is before the first underscore. */
export const kindOf = (id: string): string => id.split('_', 1)[0]!
