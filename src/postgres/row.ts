import type { Client } from '../policy/client.js'
import type {
  AccessToken,
  AuthorizationCode,
  Grant,
  RefreshToken,
  Rotation,
} from '../policy/grant.js'
import type { ClockMark, KeyRecord, PendingAuthorization } from '../store/records.js'

/** A table whose rows are records: each field is a column in snake_case, next to `site`. */
export interface Table<Stored> {
  readonly name: string
  /** The columns, separated by commas. */
  readonly columns: string
  /** Returns the JSON text of the row for a record. The names inside nested values are kept. */
  readonly toRow: (site: string, record: Stored) => string
  /** Returns the record of a row of `to_jsonb`. Columns of a later version of hallpass are left out. */
  readonly fromRow: (row: Readonly<Record<string, unknown>>) => Stored
}

/** Names every field of a record once: the compiler finds one that is missing. One that is `'optional'` is absent if null. */
function table<Stored extends object>(
  name: string,
  fields: Readonly<Record<keyof Stored & string, true | 'optional'>>,
): Table<Stored> {
  const pairs = Object.keys(fields).map((field) => [field, columnOf(field)] as const)
  const isRequired = (field: string): boolean => fields[field as keyof Stored & string] === true
  return {
    name,
    columns: ['site', ...pairs.map(([, column]) => column)].join(', '),
    toRow: (site, record) => {
      const row: Record<string, unknown> = { site }
      for (const [field, column] of pairs) row[column] = record[field as keyof Stored]
      return JSON.stringify(row)
    },
    fromRow: (row) =>
      Object.fromEntries(
        pairs
          .filter(([field, column]) => isRequired(field) || row[column] != null)
          .map(([field, column]) => [field, row[column]]),
      ) as Stored,
  }
}

/** `disabledBy` is never stored. */
type StoredClient = Omit<Client, 'disabledBy'>

export const CLIENT: Table<StoredClient> = table<StoredClient>('hallpass_client', {
  clientId: true,
  kind: true,
  name: true,
  redirectUris: true,
  tokenEndpointAuthMethod: true,
  secrets: true,
  scopes: true,
  disabled: true,
  description: true,
  icon: true,
  about: true,
  revision: true,
  createdAt: true,
  usedAt: true,
  deletedAt: true,
  document: true,
  endsAt: true,
  keys: 'optional',
  dpopBoundAccessTokens: 'optional',
  requirePushedRequests: 'optional',
})

export const PENDING: Table<PendingAuthorization> = table<PendingAuthorization>(
  'hallpass_pending',
  {
    idHash: true,
    browserHash: true,
    clientId: true,
    redirectUri: true,
    scopes: true,
    resource: true,
    resourceSent: true,
    state: true,
    codeChallenge: true,
    nonce: true,
    prompt: true,
    maxAge: true,
    loginHint: true,
    uiLocales: true,
    hintedHash: true,
    createdAt: true,
    expiresAt: true,
    boundTo: 'optional',
  },
)

export const CODE: Table<AuthorizationCode> = table<AuthorizationCode>('hallpass_code', {
  codeHash: true,
  grantEndsAt: true,
  grantId: true,
  clientId: true,
  subject: true,
  scopes: true,
  resource: true,
  resourceSent: true,
  redirectUri: true,
  codeChallenge: true,
  nonce: true,
  authTime: true,
  issuedAt: true,
  expiresAt: true,
  redeemedAt: true,
  boundTo: 'optional',
})

export const GRANT: Table<Grant> = table<Grant>('hallpass_grant', {
  grantId: true,
  clientId: true,
  subject: true,
  scopes: true,
  resource: true,
  redirectUri: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  revokedReason: true,
  boundTo: 'optional',
})

export const ACCESS_TOKEN: Table<AccessToken> = table<AccessToken>('hallpass_access_token', {
  tokenHash: true,
  grantId: true,
  scopes: true,
  issuedAt: true,
  expiresAt: true,
  revokedAt: true,
  boundTo: 'optional',
})

type RefreshTokenRow = Omit<RefreshToken, 'rotation'> & {
  readonly rotation: PackedRotation | null
  /** That of the rotation that issued the token, so that its own use can delete it in the same update. */
  readonly salt: string | null
}

const REFRESH_TOKEN_ROW: Table<RefreshTokenRow> = table<RefreshTokenRow>('hallpass_refresh_token', {
  tokenHash: true,
  grantId: true,
  issuedAt: true,
  expiresAt: true,
  rotation: true,
  salt: true,
})

interface RefreshTokenTable extends Pick<Table<RefreshToken>, 'name' | 'columns'> {
  /** @param salt - that of the rotation that issues the token */
  readonly toRow: (site: string, record: RefreshToken, salt: string | null) => string
  /** @param successorSalt - the salt of the row of the successor */
  readonly fromRow: (
    row: Readonly<Record<string, unknown>>,
    successorSalt: string | null,
  ) => RefreshToken
}

export const REFRESH_TOKEN: RefreshTokenTable = {
  name: REFRESH_TOKEN_ROW.name,
  columns: REFRESH_TOKEN_ROW.columns,
  toRow: (site, record, salt) =>
    REFRESH_TOKEN_ROW.toRow(site, {
      ...record,
      rotation: record.rotation && packRotation(record.rotation),
      salt,
    }),
  fromRow: (row, successorSalt) => {
    const { rotation, salt: _, ...record } = REFRESH_TOKEN_ROW.fromRow(row)
    return { ...record, rotation: rotation && unpackRotation(rotation, successorSalt) }
  },
}

/**
 * A rotation as it is stored: an array, without the salt, which is in the row of the successor. A grant has hundreds of rotations, and the names of their fields would be a fifth
 * of each row.
 */
type PackedRotation = readonly [
  successorHash: string,
  rotatedAt: number,
  accessTokenExpiresAt: number,
  scopes: readonly string[],
  scopesOmitted: true | null,
]

export const packRotation = (rotation: Rotation): PackedRotation => [
  rotation.successorHash,
  rotation.rotatedAt,
  rotation.accessTokenExpiresAt,
  rotation.scopes,
  rotation.scopesOmitted ?? null,
]

function unpackRotation(packed: PackedRotation, salt: string | null): Rotation {
  const [successorHash, rotatedAt, accessTokenExpiresAt, scopes, scopesOmitted] = packed
  const rotation = { rotatedAt, salt, scopes, successorHash, accessTokenExpiresAt }
  return scopesOmitted === null ? rotation : { ...rotation, scopesOmitted }
}

export const KEY: Table<KeyRecord> = table<KeyRecord>('hallpass_key', {
  kid: true,
  state: true,
  publicJwk: true,
  sealedPrivateKey: true,
  createdAt: true,
  publishedAt: true,
  activatedAt: true,
  retiringAt: true,
  retiredAt: true,
})

export const CLOCK: Table<ClockMark> = table<ClockMark>('hallpass_clock', {
  trustedAt: true,
  leap: true,
})

/**
 * Returns the statement that inserts the row of {@link Table.toRow} in a parameter, such as `$2`, if a condition holds.
 * It names the columns, so that one which a later version of hallpass added keeps its default.
 */
export const insertion = (
  { name, columns }: Pick<Table<unknown>, 'name' | 'columns'>,
  parameter: string,
  condition: string,
): string =>
  `insert into ${name} (${columns})
   select ${columns} from jsonb_populate_record(null::${name}, ${parameter}::text::jsonb)
   where ${condition}`

function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)
}
