import { sha256Base64url } from '../encoding/hash.js'
import type { PendingAuthorization } from '../store/records.js'
import { decide, query } from './batch.js'
import { decideByRow, keeping } from './events.js'
import {
  accessTokenRow,
  CLIENT_COLUMNS,
  clientOf,
  CODE_COLUMNS,
  codeOf,
  codeRow,
  grantRow,
  joinClientOf,
  parse,
  refreshTokenRow,
  type Verb,
} from './rows.js'
import { type Guard, guard, insertion, statement, unless } from './statement.js'

const pendingOf = (site: string, idHash: string): Guard =>
  guard('hallpass_pending where site = ? and id_hash = ?', site, idHash)

const pendingRow = (site: string, pending: PendingAuthorization) => ({
  site,
  id_hash: pending.idHash,
  hint: pending.loginHint?.toLowerCase() ?? null,
  created_at: pending.createdAt,
  due_at: pending.expiresAt,
  record: JSON.stringify(pending),
})

export const savePending: Verb<'savePending'> = async (database, pending) => {
  const { site, dialect } = database
  const stored = pendingOf(site, pending.idHash)
  const look = statement(`select 1 as one from ${stored.from}${dialect.lock}`, ...stored.parameters)
  const isSaved = await decide(database, {
    turn: pending.idHash,
    look,
    outcomeOf: (rows) => rows.length === 0,
    won: true,
    writes: [insertion('hallpass_pending', pendingRow(site, pending), unless(stored))],
    own: look,
  })
  if (!isSaved) throw new Error('an authorization request with this idHash is stored already')
}

export const findPending: Verb<'findPending'> = async (database, idHash) => {
  const [row] = await query(
    database,
    'select record from hallpass_pending where site = ? and id_hash = ?',
    database.site,
    idHash,
  )
  return row === undefined ? null : (parse(row['record']) as PendingAuthorization)
}

export const endPending: Verb<'endPending'> = async (database, idHash, events, next) => {
  const { site } = database
  const stored = pendingOf(site, idHash)
  return decideByRow(database, stored, {
    outcomes: ['ended', 'gone'],
    events,
    ...(next !== undefined && {
      before: [insertion('hallpass_pending', pendingRow(site, next), stored)],
      own: statement(
        `select 1 as one from ${pendingOf(site, next.idHash).from} and record = ?`,
        site,
        next.idHash,
        JSON.stringify(next),
      ),
    }),
    change: statement(`delete from ${stored.from}`, ...stored.parameters),
  })
}

export const hasConsent: Verb<'hasConsent'> = async (database, consentKey) => {
  const rows = await query(
    database,
    'select 1 as one from hallpass_consent where site = ? and consent_key = ?',
    database.site,
    consentKey,
  )
  return rows.length > 0
}

/** Names a person who may get a code, and the request that the code ends. */
function readyFor(
  site: string,
  { subject, pending }: { subject: string; pending: Guard | null },
  lock = '',
): Guard {
  const hash = sha256Base64url(subject)
  const permitted = unless(
    guard(`hallpass_erasure where site = ? and subject_hash = ? and due_at > 0${lock}`, site, hash),
  )
  return pending === null
    ? permitted
    : guard(
        `${permitted.from} and exists (select 1 from ${pending.from}${lock})`,
        ...permitted.parameters,
        ...pending.parameters,
      )
}

export const issueCode: Verb<'issueCode'> = async (
  database,
  { code, pendingIdHash, consentKey },
  events,
) => {
  const { site, dialect } = database
  const { clientId: client_id, subject } = code
  const pending = pendingIdHash === null ? null : pendingOf(site, pendingIdHash)
  const ready = readyFor(site, { subject, pending })
  const locked = readyFor(site, { subject, pending }, dialect.lock)
  const permitted = readyFor(site, { subject, pending: null })
  const consent = { site, consent_key: consentKey, client_id, subject }
  const row = codeRow(site, code)
  return decide<'issued' | 'gone'>(database, {
    turn: { person: subject },
    look: statement(`select 1 as one from ${locked.from}`, ...locked.parameters),
    outcomeOf: (rows) => (rows.length > 0 ? 'issued' : 'gone'),
    won: 'issued',
    writes: [
      ...(consentKey === null ? [] : [insertion('hallpass_consent', consent, ready, 'replace')]),
      ...keeping(database, events, ready),
      insertion('hallpass_code', row, ready),
      ...(pending === null
        ? []
        : [
            statement(
              `delete from ${pending.from} and exists (select 1 from ${permitted.from})`,
              ...pending.parameters,
              ...permitted.parameters,
            ),
          ]),
    ],
    own: statement(
      'select 1 as one from hallpass_code where site = ? and code_hash = ?',
      site,
      code.codeHash,
    ),
  })
}

const FIND_CODE = `select ${CODE_COLUMNS}, ${CLIENT_COLUMNS}
  from hallpass_code code ${joinClientOf('code')} where code.site = ? and code.code_hash = ?`

export const findCode: Verb<'findCode'> = async (database, codeHash) => {
  const [row] = await query(database, FIND_CODE, database.site, codeHash)
  return row === undefined ? null : { ...codeOf(row, codeHash), client: clientOf(row) }
}

export const redeemCode: Verb<'redeemCode'> = async (
  database,
  { codeHash, redeemedAt, grant, accessToken, refreshToken },
  events,
) => {
  const { site, dialect } = database
  const open = guard(
    'hallpass_code where site = ? and code_hash = ? and redeemed_at is null',
    site,
    codeHash,
  )
  return decide<'redeemed' | 'spent' | 'missing'>(database, {
    look: statement(
      `select redeemed_at from hallpass_code where site = ? and code_hash = ?${dialect.lock}`,
      site,
      codeHash,
    ),
    outcomeOf: ([code]) =>
      code === undefined ? 'missing' : code['redeemed_at'] === null ? 'redeemed' : 'spent',
    won: 'redeemed',
    writes: [
      insertion('hallpass_grant', grantRow(site, grant), open),
      insertion('hallpass_access_token', accessTokenRow(site, accessToken), open),
      insertion(
        'hallpass_refresh_token',
        { ...refreshTokenRow(site, refreshToken, null), due_at: grant.expiresAt },
        open,
      ),
      statement(
        `update hallpass_client set used_at = ?, due_at = null
         where site = ? and client_id = ? and used_at is null and exists (select 1 from ${open.from})`,
        redeemedAt,
        site,
        grant.clientId,
        ...open.parameters,
      ),
      ...keeping(database, events, open),
      statement(
        `update hallpass_code set redeemed_at = ?
         where site = ? and code_hash = ? and redeemed_at is null`,
        redeemedAt,
        ...open.parameters,
      ),
    ],
    own: statement(
      'select 1 as one from hallpass_access_token where site = ? and token_hash = ?',
      site,
      accessToken.tokenHash,
    ),
  })
}
