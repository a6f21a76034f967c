import { fetchLogo } from 'hallpass/clients'
import { type Client, clientOfDocument } from 'hallpass/policy'
import { describe, expect, it } from 'vitest'
import { sha256Base64url } from '../../src/encoding/hash.js'
import { gif, jpeg, png, SVG, webp } from '../support/browser/pictures.js'
import { T } from '../support/school/school.js'

const LOGO = 'https://notes.example/logo.png'

function clientWith(logoUri: string | null): Client {
  const { client } = clientOfDocument({
    known: null,
    document: {
      clientId: 'https://notes.example/client.json',
      name: 'Notes',
      redirectUris: ['https://notes.example/cb'],
      tokenEndpointAuthMethod: 'none',
      about: { clientUri: null, policyUri: null, tosUri: null, logoUri, contacts: [] },
    },
    now: T,
    freshUntil: T,
  })
  const { name, redirectUris, about } = client
  const document = { ...client.document!, reviewed: { name, redirectUris, about } }
  return { ...client, scopes: [], document }
}
const REVIEWED = clientWith(LOGO)

const answering = (body: Uint8Array | string, type: string | null, status = 200) => {
  const fetched: string[] = []
  const fetchImage = async (url: string): Promise<Response> => {
    fetched.push(url)
    const headers = type === null ? {} : { 'content-type': type }
    return new Response(Buffer.from(body), { status, headers })
  }
  return { fetched, fetchImage }
}

/** What the developer of a client reads of each refusal. */
const DESCRIPTIONS = {
  logo_absent: 'the client has no logo_uri',
  logo_not_reviewed: 'the logo is fetched after a review of the client',
  logo_url_not_allowed: 'logo_uri must be an https URL of a public host on port 443',
  logo_unavailable: 'the host of the logo did not respond with an image in time',
  logo_malformed: 'the logo must be a still PNG, JPEG or WebP image, sent with its own media type',
  logo_too_large: 'the logo must have at most 60000 bytes and 1024 pixels a side',
}
const refused = (reason: keyof typeof DESCRIPTIONS) => ({
  ok: false,
  error: 'invalid_client_metadata',
  reason,
  description: DESCRIPTIONS[reason],
})

async function fetching(client: Client, ...answer: Parameters<typeof answering>) {
  const { fetched, fetchImage } = answering(...answer)
  return { decided: await fetchLogo({ client, fetchImage }), fetched }
}
const PNG = png(64, 64)

describe('the logo of a reviewed client', () => {
  it.each([
    ['image/png', png(1024, 1)],
    ['image/jpeg', jpeg(64, 48)],
    ['image/webp', webp.lossless(64, 64)],
    ['IMAGE/PNG ; charset=binary', PNG],
    ['image/png', Buffer.concat([PNG, Buffer.alloc(60_000 - PNG.length)])],
  ])('is what its host serves as %s', async (type, body) => {
    const decided = await fetchLogo({ client: REVIEWED, ...answering(body, type) })
    expect(decided).toMatchObject({ ok: true, logo: { digest: sha256Base64url(body) } })
    if (decided.ok) expect(Buffer.from(decided.logo.bytes)).toEqual(body)
  })

  it.each<[string, Client]>([
    ['that no one has reviewed', { ...REVIEWED, scopes: null }],
    [
      'whose review covers another logo',
      {
        ...REVIEWED,
        document: {
          ...REVIEWED.document!,
          reviewed: { name: 'Notes', redirectUris: [], about: null },
        },
      },
    ],
    ['that registered itself', { ...REVIEWED, kind: 'loopback', document: null }],
  ])('is not fetched of a client %s [SAY-09]', async (_, client) => {
    expect(await fetching(client, PNG, 'image/png')).toEqual({
      decided: refused('logo_not_reviewed'),
      fetched: [],
    })
  })

  it('is none where the client names none', async () => {
    const none = { decided: refused('logo_absent'), fetched: [] }
    expect(await fetching(clientWith(null), PNG, 'image/png')).toEqual(none)
    expect(await fetching({ ...REVIEWED, about: null }, PNG, 'image/png')).toEqual(none)
  })

  it.each([
    'http://notes.example/logo.png',
    'https://notes.example:8443/logo.png',
    'https://127.0.0.1/logo.png',
    'https://[::1]/logo.png',
    'https://169.254.169.254/latest/meta-data',
    'https://2130706433/logo.png',
    'https://localhost/logo.png',
    'https://db.internal/logo.png',
    'https://notes.example/../logo.png',
    'https://notes.example/logo.png#x',
  ])('is not fetched from %s [SAY-09]', async (uri) => {
    expect(await fetching(clientWith(uri), PNG, 'image/png')).toEqual({
      decided: refused('logo_url_not_allowed'),
      fetched: [],
    })
  })

  it.each<[string, keyof typeof DESCRIPTIONS, Parameters<typeof answering>]>([
    ['a redirect', 'logo_unavailable', [PNG, 'image/png', 302]],
    ['an absence', 'logo_unavailable', [PNG, 'image/png', 404]],
    ['a part', 'logo_unavailable', [PNG, 'image/png', 206]],
    ['nothing', 'logo_malformed', ['', 'image/png']],
    ['an SVG', 'logo_malformed', [SVG, 'image/svg+xml']],
    ['an SVG that is called a PNG', 'logo_malformed', [SVG, 'image/png']],
    ['a page', 'logo_malformed', ['<script>alert(1)</script>', 'text/html']],
    ['a PNG that is called a page', 'logo_malformed', [PNG, 'text/html']],
    ['a PNG that is called a JPEG', 'logo_malformed', [PNG, 'image/jpeg']],
    ['a PNG without a type', 'logo_malformed', [PNG, null]],
    ['a GIF', 'logo_malformed', [gif(9, 9), 'image/gif']],
    ['a PNG that moves', 'logo_malformed', [png(9, 9, { before: [['acTL', PNG]] }), 'image/png']],
    ['a PNG of gigabytes', 'logo_too_large', [png(50_000, 50_000), 'image/png']],
    ['a PNG of 1,025 pixels', 'logo_too_large', [png(9, 1025), 'image/png']],
    [
      '60,001 bytes',
      'logo_too_large',
      [Buffer.concat([PNG, Buffer.alloc(60_001 - PNG.length)]), 'image/png'],
    ],
  ])('is refused where its host serves %s: %s [SAY-08]', async (_, reason, answer) => {
    expect((await fetching(REVIEWED, ...answer)).decided).toEqual(refused(reason))
  })

  it('is refused where its host does not respond', async () => {
    const fetchImage = async (): Promise<Response> => {
      throw new Error('10.0.0.1 is not a public unicast address')
    }
    expect(await fetchLogo({ client: REVIEWED, fetchImage })).toEqual(refused('logo_unavailable'))
  })
})
