import type { Handler } from 'hallpass-audit'
import type { Fault } from '../broken-server.js'
import { answers, type Broken, both, failing, headers, json, received } from '../faults.js'

const METADATA = '/.well-known/oauth-authorization-server'
const REQUEST = '/api/oauth/device_authorization'
const TOKEN = '/api/oauth/token'
const PAGE = '/oauth/device'
const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

type Body = Readonly<Record<string, unknown>>

/** Changes the answers to the questions of devices. */
const polled = (
  change: (body: Body, answer: Response, deviceCode: string) => { status?: number; body?: Body },
): Required<Pick<Fault, 'wrap'>> =>
  answers(TOKEN, async (answer, request) => {
    const form = new URLSearchParams(await request.text())
    if (form.get('grant_type') !== GRANT) return answer
    const given = (await answer.json()) as Body
    const { status = answer.status, body = given } = change(given, answer, form.get('device_code') ?? '') // prettier-ignore
    return Response.json(body, { status, headers: { 'cache-control': 'no-store' } })
  })

/** Gives the device a counted code in place of a random one. */
function counted(): Fault {
  const codes: string[] = []
  const numbered = json(REQUEST, (body) => {
    const number = codes.push(String(body['device_code']))
    return { ...body, device_code: `device-code-of-the-school-${number}` }
  })
  const known = received(TOKEN, (form) => {
    const [, number] = /^device-code-of-the-school-(\d+)$/.exec(form.get('device_code') ?? '') ?? []
    if (number !== undefined) form.set('device_code', codes[Number(number) - 1]!)
  })
  return both(numbered, known)
}

/** Redeems a code for any client, as if it was the one that asked for it. */
function forAnyClient(): Fault {
  const owners = new Map<string, string>()
  return {
    wrap: (next) => async (request) => {
      const { pathname } = new URL(request.url)
      if (request.method !== 'POST' || (pathname !== REQUEST && pathname !== TOKEN)) return next(request)
      const form = new URLSearchParams(await request.clone().text())
      const clientId = form.get('client_id') ?? ''
      const owner = owners.get(form.get('device_code') ?? '')
      if (owner !== undefined) form.set('client_id', owner)
      const body = form.toString()
      const answer = await next(new Request(request.url, { method: 'POST', headers: request.headers, body }))
      if (pathname === REQUEST && answer.status === 200) {
        const { device_code: code } = (await answer.clone().json()) as { device_code: string }
        owners.set(code, clientId)
      }
      return answer
    },
  } // prettier-ignore
}

/** Answers a code that was redeemed by what it was redeemed for. */
function again(): Fault {
  const redeemed = new Map<string, Body>()
  return polled((body, { status }, deviceCode) => {
    if (status === 200) redeemed.set(deviceCode, body)
    const before = redeemed.get(deviceCode)
    return before === undefined ? {} : { status: 200, body: before }
  })
}

/** Ends the code of a device that asks three times in a row. */
function impatient(): Fault {
  const polls = new Map<string, number>()
  return polled((_, { status }, deviceCode) => {
    polls.set(deviceCode, (polls.get(deviceCode) ?? 0) + 1)
    const isEnded = status === 400 && polls.get(deviceCode)! > 2
    return isEnded ? { body: { error: 'expired_token' } } : {}
  })
}

/** Allows what a link names as soon as a person who is signed in opens it. */
const allowing: Fault = {
  wrap: (next) => async (request) => {
    const url = new URL(request.url)
    const userCode = url.searchParams.get('user_code')
    if (url.pathname !== PAGE || userCode === null || request.method !== 'GET') return next(request)
    const asking = await next(request)
    const cookies = asking.headers.getSetCookie().map((line) => line.split(';')[0])
    const all = new Headers(request.headers)
    all.set('cookie', [request.headers.get('cookie'), ...cookies].join('; '))
    all.set('origin', url.origin)
    all.set('sec-fetch-site', 'same-origin')
    all.set('content-type', 'application/x-www-form-urlencoded')
    const question = await send(next, all, { user_code: userCode }, await asking.text())
    return send(next, all, { user_code: userCode, decision: 'allow' }, await question.text())
  },
}

/** Sends the form of a page. */
function send(
  next: Handler,
  all: Headers,
  fields: Readonly<Record<string, string>>,
  html: string,
): Response | Promise<Response> {
  const token = /name="csrf_token" value="([^"]*)"/.exec(html)?.[1] ?? ''
  const body = new URLSearchParams({ csrf_token: token, ...fields }).toString()
  return next(new Request(`http://127.0.0.1:3000${PAGE}`, { method: 'POST', headers: all, body }))
}

const unpublished = ({ device_authorization_endpoint: _endpoint, ...metadata }: Body): Body =>
  metadata

export const device: readonly Broken[] = [
  {
    name: 'the grant of devices is not published',
    fault: json(METADATA, (metadata) => ({
      ...metadata,
      grant_types_supported: (metadata['grant_types_supported'] as string[]).filter((one) => one !== GRANT),
    })),
    violates: ['device/named'],
  },
  {
    name: 'a device does not learn when its code expires',
    fault: json(REQUEST, ({ expires_in: _seconds, ...body }) => body),
    violates: ['device/answer'],
  },
  {
    name: 'caches store the code of a device',
    fault: headers(REQUEST, (all) => all.set('cache-control', 'private, max-age=60')),
    violates: ['device/no-store'],
  },
  {
    name: 'the address for the person is not https',
    fault: json(REQUEST, (body) => ({ ...body, verification_uri: 'http://school.example/device' })),
    violates: ['device/verification-uri'],
  },
  {
    name: 'the code for the person has four digits',
    fault: json(REQUEST, (body) => ({ ...body, user_code: '4829' })),
    violates: ['device/user-code'],
  },
  { name: 'the codes of devices are counted', fault: counted(), violates: ['device/device-code'] },
  {
    name: 'any client gets a code',
    fault: answers(REQUEST, (answer) =>
      answer.status < 400 ? answer : Response.json({ device_code: 'a', user_code: 'b', verification_uri: 'c', expires_in: 600 })),
    violates: ['device/unknown-client'],
  },
  {
    name: 'an unknown code is pending',
    fault: polled((body) => (body['error'] === 'invalid_grant' ? { body: { error: 'authorization_pending' } } : {})),
    violates: ['device/unknown-code'],
  },
  {
    name: 'a device that waits is answered by 200',
    fault: polled((body) => (body['access_token'] === undefined ? { status: 200 } : {})),
    violates: ['device/pending', 'device/fast-polling', 'device/unknown-code', 'device/denied'],
  },
  { name: 'a device that asks too often loses its code', fault: impatient(), violates: ['device/fast-polling'] },
  { name: 'a link with a code allows it', fault: allowing, violates: ['device/link-asks'] },
  {
    name: 'any client redeems the code of a device',
    fault: forAnyClient(),
    violates: ['device/other-client'],
    whole: true,
  },
  {
    name: 'the tokens of a device have no type',
    fault: polled(({ token_type: _type, ...body }) => ({ body })),
    violates: ['device/tokens'],
  },
  { name: 'the code of a device is redeemed twice', fault: again(), violates: ['device/once'] },
  {
    name: 'a denied device is told that its code has expired',
    fault: polled((body) => (body['error'] === 'access_denied' ? { body: { error: 'expired_token' } } : {})),
    violates: ['device/denied'],
  },
  {
    name: 'a device that waits is an exception',
    fault: failing(TOKEN),
    violates: ['device/pending', 'device/fast-polling', 'device/unknown-code', 'device/denied'],
    unknown: ['device/link-asks', 'device/once', 'device/other-client'],
  },
  {
    name: 'the endpoint of devices is not published',
    fault: both(json(METADATA, unpublished), json('/.well-known/openid-configuration', unpublished)),
    violates: ['device/named'],
  },
  {
    name: 'the link with a code leads nowhere',
    fault: answers(PAGE, (answer, request) =>
      new URL(request.url).searchParams.has('user_code') ? new Response('Not found', { status: 404 }) : answer),
    violates: [],
    unknown: ['device/link-asks'],
  },
] // prettier-ignore
