import type { Service, SiteName } from './service.js'

/** A schema of JSON, as the description of the admin API has it. */
export interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly pattern?: string
}

/** An operation of the admin API, from its own description. */
export interface Operation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly scope: string
  readonly query: readonly { readonly name: string; readonly schema: Schema }[]
  /** What its identifier begins with, such as `crs_`; `null` if it has none. */
  readonly idPrefix: string | null
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
        idPrefix:
          /^\^([a-z]+_)/.exec(
            parameters.find((one) => one.in === 'path')?.schema.pattern ?? '',
          )?.[1] ?? null,
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

/** The identifiers of everything that a school has, from its tables. */
export async function idsOf({ execute }: Service, site: SiteName): Promise<ReadonlySet<string>> {
  const { rows: columns } = await execute(
    `select table_name, column_name from information_schema.columns
     where table_name like 'school\\_%' and column_name in ('id', 'member_id')`,
    [],
  )
  const selects = (columns as { table_name: string; column_name: string }[]).map(
    ({ table_name: table, column_name: column }) =>
      `select ${column} as id from ${table} where site = $1 and ${column} is not null`,
  )
  const { rows } = await execute(selects.join(' union '), [`site_${site}`])
  return new Set((rows as { id: string }[]).map(({ id }) => id))
}

/** The kind of an identifier: what is before the first underscore. */
export const kindOf = (id: string): string => id.split('_', 1)[0]!
