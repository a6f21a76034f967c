import { randomBytes } from 'node:crypto'
import { createAuthorizationServer, defineSite } from 'hallpass'
import { createNodeSigner } from 'hallpass/node'
import { defineClient } from 'hallpass/clients'
import { schoolRoles, schoolScopes } from 'hallpass/scope'
import { createMemoryStore } from 'hallpass/store'
import { createKeyRing, hashToken } from 'hallpass/token'
import {
  CLIENT_ID,
  CODE_CHALLENGE,
  exchangeForm,
  NONCE,
  PERSON,
  REDIRECT_URI,
  refreshForm,
  SCOPE,
  times,
} from './common.mjs'

const now = () => Math.floor(Date.now() / 1000)
const random = () => randomBytes(32).toString('base64url')

/** Puts a client into the store, and codes and tokens of its own whenever it is asked. */
export async function createIssuer({ store, origin, scopes, kind = 'member' }) {
  await store.insertClient(
    defineClient({
      clientId: CLIENT_ID,
      kind,
      name: 'Bench',
      redirectUris: [REDIRECT_URI],
      scopes,
      createdAt: now(),
    }),
  )
  const issueCode = async (subject = PERSON.subject) => {
    const code = `hpc_${random()}`
    const record = {
      codeHash: hashToken(code),
      grantId: random(),
      clientId: CLIENT_ID,
      subject,
      scopes,
      resource: origin,
      redirectUri: REDIRECT_URI,
      resourceSent: false,
      codeChallenge: CODE_CHALLENGE,
      nonce: NONCE,
      authTime: now(),
      grantEndsAt: null,
      issuedAt: now(),
      expiresAt: now() + 600,
      redeemedAt: null,
    }
    await store.issueCode({ code: record, pendingIdHash: null, consentKey: null })
    return { code, record }
  }
  const issueTokens = async (subject) => {
    const { record } = await issueCode(subject)
    const { codeHash, grantId, clientId, resource, redirectUri } = record
    const [issuedAt, expiresAt] = [now(), now() + 86_400]
    const [accessToken, refreshToken] = [`hpa_${random()}`, `hpr_${random()}`]
    // Literals, as hallpass makes them: V8 gives each object that begins with `...` a hidden class of its own, and every
    // read of it costs ten times as much.
    await store.redeemCode({
      codeHash,
      redeemedAt: issuedAt,
      grant: {
        grantId,
        clientId,
        subject: record.subject,
        scopes,
        resource,
        redirectUri,
        createdAt: issuedAt,
        expiresAt,
        revokedAt: null,
        revokedReason: null,
      },
      accessToken: {
        tokenHash: hashToken(accessToken),
        grantId,
        scopes,
        issuedAt,
        expiresAt,
        revokedAt: null,
      },
      refreshToken: {
        tokenHash: hashToken(refreshToken),
        grantId,
        issuedAt,
        expiresAt,
        rotation: null,
      },
    })
    return { accessToken, refreshToken }
  }
  return { issueCode, issueTokens }
}

/** The record of the person, as a host application returns it. */
const person = { ...PERSON, orgId: 'site_bench', roles: ['student'], picture: null }

/**
 * The authorization server, by default on the memory store, with ways to put codes and tokens into the store.
 *
 * @param blocks - those of the site; by default, none
 */
export async function createHallpass({
  origin,
  telemetry = null,
  store = createMemoryStore(),
  findPerson = async (subject) => (subject === person.subject ? person : null),
  blocks = null,
}) {
  const options = {
    issuer: origin,
    name: 'Bench',
    store,
    scopes: schoolScopes,
    roles: schoolRoles,
    findPerson,
    ...(blocks && { blocks }),
  }
  const site = defineSite(telemetry?.site(options) ?? options)
  const keys = createKeyRing(site, {
    sealingSecret: 'a sealing secret of thirty-two characters',
    createSigner: createNodeSigner,
  })
  await keys.maintain()
  const { issueCode, issueTokens } = await createIssuer({ store, origin, scopes: SCOPE.split(' ') })
  const page = () => new Response('not part of the benchmark', { status: 500 })
  const server = createAuthorizationServer(site, {
    keys,
    interact: { currentPerson: async () => null, signIn: page, consent: page, error: page },
  })

  const token = '/api/oauth/token'
  const resource = { resource: origin }
  return {
    site,
    server,
    jwks: await keys.jwks(),
    scenarios: {
      exchange: {
        expect: ['access_token', 'refresh_token', 'id_token'],
        prepare: (count) =>
          times(count, async () => ({
            path: token,
            form: exchangeForm((await issueCode()).code, resource),
          })),
      },
      authorize: {
        expect: ['location'],
        prepare: (count) =>
          times(count, (index) => ({
            path: `/oauth/authorize?${new URLSearchParams({
              response_type: 'code',
              client_id: CLIENT_ID,
              redirect_uri: REDIRECT_URI,
              scope: SCOPE,
              code_challenge: CODE_CHALLENGE,
              code_challenge_method: 'S256',
              state: String(index),
              ...resource,
            }).toString()}`,
          })),
      },
      refused: {
        expect: ['error', 'error_description'],
        prepare: (count) =>
          times(count, () => ({ path: token, form: exchangeForm(`hpc_${random()}`, resource) })),
      },
      refresh: {
        expect: ['access_token', 'refresh_token'],
        prepare: (count) =>
          times(count, async () => ({
            path: token,
            form: refreshForm((await issueTokens()).refreshToken, resource),
          })),
      },
      bearer: {
        expect: ['sub', 'name', 'email'],
        prepare: (count) =>
          times(count, async () => ({
            path: '/api/oauth/userinfo',
            accessToken: (await issueTokens()).accessToken,
          })),
      },
      discovery: {
        expect: ['issuer', 'token_endpoint'],
        prepare: (count) =>
          times(count, () => ({ path: '/.well-known/oauth-authorization-server' })),
      },
    },
  }
}
