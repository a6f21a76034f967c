import type { Client } from '../policy/client.js'
import type { AccessToken, AuthorizationCode, Grant, RefreshToken } from '../policy/grant.js'
import type { Store, StoreMethod } from '../store/store.js'
import type { Database } from './batch.js'
import { MOST_VALUES, type Row, type Value } from './statement.js'

// A record is JSON text in the column `record`. What a statement compares or changes is a column as well, and wins over
// the record when it is read. So a new field of a record needs no migration.

/** A method of a store, with the database that it uses. */
export type Verb<Name extends StoreMethod> = (
  database: Database,
  ...parameters: Parameters<Store[Name]>
) => ReturnType<Store[Name]>

export const DAY_SECONDS = 86_400
/** The lengths of a list, so that there are few texts to prepare. */
const LENGTHS = [1, 10, MOST_VALUES]

/** Cuts a list of keys, so that each part fits into a statement, and fills the last one up with its first key. */
export const parts = <Key>(keys: readonly Key[]): readonly (readonly Key[])[] =>
  Array.from({ length: Math.ceil(keys.length / MOST_VALUES) }, (_, part) => {
    const some = keys.slice(part * MOST_VALUES, (part + 1) * MOST_VALUES)
    const length = LENGTHS.find((one) => one >= some.length)!
    return [...some, ...Array<Key>(length - some.length).fill(some[0]!)]
  })

/** The parameters of a list, as many as it has values. */
export const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

export const parse = (text: unknown): unknown => JSON.parse(text as string)
/** Drivers may return an integer as a bigint. */
export const numberOf = (value: unknown): number | null => (value === null ? null : Number(value))

/** The columns of the client of a row of {@link joinClientOf}. */
export const CLIENT_COLUMNS = 'c.record as client, c.used_at as client_used_at'
/** Joins the client of a code or a grant, unless it is deleted. */
export const joinClientOf = (row: string): string =>
  `left join hallpass_client c
     on c.site = ${row}.site and c.client_id = ${row}.client_id and c.deleted_at is null`
export const GRANT_COLUMNS = `g.grant_id, g.client_id as grant_client_id, g.subject as grant_subject,
  g.scopes as grant_scopes, g.created_at as grant_created_at, g.due_at as grant_due_at,
  g.revoked_at as grant_revoked_at, g.revoked_reason as grant_revoked_reason, g.record as grant_record`
/** When a grant `g` last got a token. Parameter: the site. */
export const lastIssuedAt = ({ dialect }: Database): string => `(
  select t.issued_at from hallpass_refresh_token t where t.site = ? and t.grant_id = g.grant_id
  order by ${dialect.day('t.issued_at')} desc, t.issued_at desc limit 1)`
/**
 * Whether a grant of a name is neither revoked nor expired. Parameters: the site and the time. The plus keeps SQLite from an index
 * of `due_at`, by which it would read nearly all grants.
 */
export const isLive = (grant: string): string =>
  `${grant}.site = ? and ${grant}.revoked_at is null and +${grant}.due_at > ?`

export const clientOf = (row: Row): Client | null =>
  row['client'] === null
    ? null
    : { ...(parse(row['client']) as Client), usedAt: numberOf(row['client_used_at']) }

export const CODE_COLUMNS = `code.client_id as code_client_id, code.subject, code.issued_at, code.redeemed_at,
  code.due_at, code.record`

export function codeRow(site: string, code: AuthorizationCode): Record<string, Value> {
  const { codeHash, clientId, subject, issuedAt, expiresAt, redeemedAt, ...record } = code
  return {
    site,
    code_hash: codeHash,
    client_id: clientId,
    subject,
    issued_at: issuedAt,
    redeemed_at: redeemedAt,
    due_at: expiresAt + DAY_SECONDS,
    record: JSON.stringify(record),
  }
}

export const codeOf = (row: Row, codeHash: string): AuthorizationCode => ({
  ...(parse(row['record']) as AuthorizationCode),
  codeHash,
  clientId: row['code_client_id'] as string,
  subject: row['subject'] as string,
  issuedAt: Number(row['issued_at']),
  expiresAt: Number(row['due_at']) - DAY_SECONDS,
  redeemedAt: numberOf(row['redeemed_at']),
})

export function grantRow(site: string, grant: Grant): Record<string, Value> {
  const { grantId, clientId, subject, scopes, createdAt, expiresAt, ...others } = grant
  const { revokedAt, revokedReason, ...record } = others
  return {
    site,
    grant_id: grantId,
    client_id: clientId,
    subject,
    scopes: JSON.stringify(scopes),
    created_at: createdAt,
    due_at: expiresAt,
    revoked_at: revokedAt,
    revoked_reason: revokedReason,
    record: JSON.stringify(record),
  }
}

export const grantOf = (row: Row): Grant => ({
  grantId: row['grant_id'] as string,
  clientId: row['grant_client_id'] as string,
  subject: row['grant_subject'] as string,
  scopes: parse(row['grant_scopes']) as readonly string[],
  createdAt: Number(row['grant_created_at']),
  expiresAt: Number(row['grant_due_at']),
  revokedAt: numberOf(row['grant_revoked_at']),
  revokedReason: row['grant_revoked_reason'] as string | null,
  ...(parse(row['grant_record']) as Pick<Grant, 'resource' | 'redirectUri' | 'boundTo'>),
})

export const accessTokenRow = (site: string, token: AccessToken): Record<string, Value> => ({
  site,
  token_hash: token.tokenHash,
  grant_id: token.grantId,
  scopes: JSON.stringify(token.scopes),
  issued_at: token.issuedAt,
  due_at: token.expiresAt,
  revoked_at: token.revokedAt,
  bound_to: token.boundTo ?? null,
})

/** The access token of a row. Its key is the one that was asked for, and the grant is joined. */
export const accessTokenOf = (
  row: Row,
  { tokenHash, grantId }: { tokenHash: string; grantId: string },
): AccessToken => ({
  tokenHash,
  grantId,
  scopes: parse(row['scopes']) as readonly string[],
  issuedAt: Number(row['issued_at']),
  expiresAt: Number(row['due_at']),
  revokedAt: numberOf(row['revoked_at']),
  ...(row['bound_to'] !== null && { boundTo: row['bound_to'] as string }),
})

/**
 * @param salt - that of the rotation that issues the token, so that its own use can delete it
 */
export const refreshTokenRow = (
  site: string,
  token: RefreshToken,
  salt: string | null,
): Record<string, Value> => ({
  site,
  token_hash: token.tokenHash,
  grant_id: token.grantId,
  issued_at: token.issuedAt,
  expires_at: token.expiresAt,
  salt,
})

type Rotation = NonNullable<RefreshToken['rotation']>

/**
 * A rotation without its salt, which the row of the successor has, and without the hash that is a column. A grant has
 * hundreds of rotations, and the names of their fields would be a fifth of each row.
 */
export const rotationText = (rotation: Rotation): string =>
  JSON.stringify([
    rotation.rotatedAt,
    rotation.accessTokenExpiresAt,
    rotation.scopes,
    ...(rotation.scopesOmitted === undefined ? [] : [rotation.scopesOmitted]),
  ])

function rotationOf(row: Row): Rotation {
  const [rotatedAt, accessTokenExpiresAt, scopes, scopesOmitted] = parse(row['rotation']) as [
    number,
    number,
    readonly string[],
    true?,
  ]
  const successorHash = row['successor_hash'] as string
  const salt = row['successor_salt'] as string | null
  const rotation = { rotatedAt, accessTokenExpiresAt, scopes, successorHash, salt }
  return scopesOmitted === undefined ? rotation : { ...rotation, scopesOmitted }
}

/** The refresh token of a row, with the salt of its successor. */
export const refreshTokenOf = (
  row: Row,
  { tokenHash, grantId }: { tokenHash: string; grantId: string },
): RefreshToken => ({
  tokenHash,
  grantId,
  issuedAt: Number(row['issued_at']),
  expiresAt: Number(row['expires_at']),
  rotation: row['rotation'] === null ? null : rotationOf(row),
})

/** A place in a list, the newest first, then by identifier; `null` for the beginning. */
export const behind = (
  place: { readonly createdAt: number; readonly id: string } | null,
  column: string,
): { readonly sql: string; readonly parameters: readonly Value[] } =>
  place === null
    ? { sql: '', parameters: [] }
    : {
        // The first condition is one that an index can begin at.
        sql: `and created_at <= ? and (created_at < ? or ${column} > ?)`,
        parameters: [place.createdAt, place.createdAt, place.id],
      }
