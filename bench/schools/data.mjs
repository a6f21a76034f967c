import { createHash, hkdfSync } from 'node:crypto'
import { CompactEncrypt, exportJWK, generateKeyPair, calculateJwkThumbprint } from 'jose'
import { defineClient } from 'hallpass/clients'
import { createPostgresStorage, migratePostgres } from 'hallpass/postgres'
import { accessSample, codeSample, grantSample, refreshSample } from 'hallpass/testing'

export const SECRET = 'the secret of the platform that is measured'
const CLIENTS = 10
export const GRANTS = 20
export const hostOf = (school) => `s${school}.example`
const token = (prefix, school, grant) => prefix + `${school}_${grant}`.padStart(43, '0')
export const accessTokenOf = (school, grant) => token('hpa_', school, grant)
export const refreshTokenOf = (school, grant) => token('hpr_', school, grant)
export const clientIdOf = (grant) => `app_${grant % CLIENTS}`

const TEMPLATE = 'https://template.example'
const DAY = 86_400
const TABLES = ['client', 'grant', 'access_token', 'refresh_token']

/**
 * Fills a database with schools, each with a row of its own, a key, ten clients and twenty grants with an access and a
 * refresh token. One school is made by the store, and copied by the database.
 */
export async function fillSchools(db, schools) {
  const execute = (text, values) => db.query(text, values)
  await migratePostgres({ execute })
  await db.query(
    'create table school (host text primary key, issuer text not null, revision bigint not null)',
  )
  const now = Math.floor(Date.now() / 1000)
  const store = createPostgresStorage({ execute }).storeOf(TEMPLATE)
  for (let client = 0; client < CLIENTS; client++)
    await store.insertClient(
      defineClient({
        clientId: clientIdOf(client),
        kind: 'member',
        name: 'App',
        redirectUris: ['https://app.example/cb'],
        scopes: ['openid', 'account:read'],
        createdAt: now - 9 * DAY,
      }),
    )
  for (let grant = 0; grant < GRANTS; grant++) await insertGrant(store, grant, now)
  const site = `'https://s' || s || '.example'`
  await db.query(
    `insert into school select 's' || s || '.example', ${site}, 1 from generate_series(0, ${schools - 1}) s`,
  )
  const hash = (prefix) =>
    `rtrim(translate(encode(sha256(('${prefix}' || lpad(s || '_' || substr(t.grant_id, 7), 43, '0'))::bytea), 'base64'), '+/', '-_'), '=')`
  const expressions = {
    site,
    grant_id: `t.grant_id || '.' || s`,
    record: `replace(t.record, '${TEMPLATE}', ${site})`,
  }
  for (const name of TABLES) {
    const table = `hallpass_${name}`
    const { rows } = await db.query(
      'select column_name as name from information_schema.columns where table_name = $1 order by ordinal_position',
      [table],
    )
    const hashes = {
      access_token: { token_hash: hash('hpa_') },
      refresh_token: { token_hash: hash('hpr_') },
    }
    const values = rows.map(
      (column) => ({ ...expressions, ...hashes[name] })[column.name] ?? `t.${column.name}`,
    )
    await db.query(
      `insert into ${table} (${rows.map((column) => column.name).join(', ')})
       select ${values.join(', ')} from ${table} t, generate_series(0, ${schools - 1}) s where t.site = $1`,
      [TEMPLATE],
    )
  }
  await insertKeys(db, schools, now)
  for (const name of [...TABLES].reverse())
    await db.query(`delete from hallpass_${name} where site = $1`, [TEMPLATE])
  await db.query('vacuum analyze')
}

async function insertGrant(store, grant, now) {
  const [grantId, codeHash] = [`grant_${grant}`, `code ${grant}`.padEnd(43, '-')]
  const common = {
    grantId,
    clientId: clientIdOf(grant),
    subject: `mem_${grant}`,
    scopes: ['openid', 'account:read'],
    resource: TEMPLATE,
  }
  const code = codeSample({ ...common, codeHash, issuedAt: now - 60, expiresAt: now + 60 })
  await store.issueCode({ code, pendingIdHash: null, consentKey: null })
  const { subject, clientId, resource, ...ofToken } = common
  await store.redeemCode({
    codeHash,
    redeemedAt: now - 30,
    grant: grantSample({ ...common, createdAt: now - 30, expiresAt: now + 180 * DAY }),
    accessToken: accessSample({
      ...ofToken,
      tokenHash: `access ${grant}`.padEnd(43, '-'),
      issuedAt: now - 30,
      expiresAt: now + DAY,
    }),
    refreshToken: refreshSample({
      grantId,
      tokenHash: `refresh ${grant}`.padEnd(43, '-'),
      issuedAt: now - 30,
      expiresAt: now + 30 * DAY,
    }),
  })
}

/** One key pair, sealed for each school: to make 100,000 would take as many times 10 ms. */
async function insertKeys(db, schools, now) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const { kty, crv, x, y } = await exportJWK(publicKey)
  const kid = await calculateJwkThumbprint({ kty, crv, x, y })
  const plain = new TextEncoder().encode(JSON.stringify(await exportJWK(privateKey)))
  const record = {
    kid,
    state: 'active',
    publicJwk: JSON.stringify({ kty, crv, x, y, kid, use: 'sig', alg: 'ES256' }),
    createdAt: now - DAY,
    publishedAt: now - DAY,
    activatedAt: now - DAY,
    retiringAt: null,
    retiredAt: null,
  }
  for (let begin = 0; begin < schools; begin += 2000) {
    const some = Array.from(
      { length: Math.min(2000, schools - begin) },
      (_, index) => begin + index,
    )
    const sealed = await Promise.all(
      some.map((school) => {
        const secret = Buffer.from(
          hkdfSync('sha256', SECRET, 'hallpass platform', `https://${hostOf(school)}`, 32),
        ).toString('base64url')
        const key = createHash('sha256').update(secret).digest()
        return new CompactEncrypt(plain)
          .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
          .encrypt(key)
      }),
    )
    await db.query(
      `insert into hallpass_key (site, kid, state, active, sealed, created_at, record)
       select site, $2, 'active', 1, sealed, $3, $4::jsonb || jsonb_build_object('sealedPrivateKey', sealed) from unnest($1::text[], $5::text[]) as t (site, sealed)`,
      [
        some.map((school) => `https://${hostOf(school)}`),
        kid,
        now - DAY,
        JSON.stringify(record),
        sealed,
      ],
    )
  }
}
