import { createHash, randomBytes } from 'node:crypto'

/** One request of the page: as it is written there, with its placeholders filled in. */
interface Sent {
  /** Method and path. */
  readonly request: string
  readonly status: number
}

/**
 * Sends every `http` block of a text of `/auth.md` as it stands there, in its order, as the client that it registers. A
 * value in angle brackets is filled in from what came before; where the page says so, the values of a query are encoded.
 *
 * @param allow - opens an address in the browser of a person, allows, and returns where the browser was sent
 * @returns what was sent, and the status of UserInfo after the last block
 */
export async function followAuthMd(
  text: string,
  allow: (url: URL) => Promise<URL>,
): Promise<{ readonly sent: readonly Sent[]; readonly afterwards: number }> {
  const verifier = randomBytes(32).toString('base64url')
  const known: Record<string, string> = {
    VERIFIER: verifier,
    BASE64URL_SHA256_OF_VERIFIER: createHash('sha256').update(verifier).digest('base64url'),
    RANDOM: randomBytes(16).toString('base64url'),
  }
  const filled = (block: string): string =>
    block.replace(/<([A-Z\d_]+)>/g, (_, name: string) => {
      const value = known[name]
      if (value === undefined) throw new Error(`nothing is known of ${name} at ${block}`)
      return value
    })
  const sent: Sent[] = []
  let userinfo: (() => Promise<number>) | null = null
  for (const [, block = ''] of text.matchAll(/^```http\n([^]*?)\n```$/gm)) {
    const [head = '', ...body] = filled(block).split('\n\n')
    const [first = '', ...more] = head.split('\n')
    const [method = '', address = ''] = first.split(' ')
    const query = more.filter((line) => line.startsWith('  ')).map((line) => line.trim().slice(1))
    const fields = more.filter((line) => !line.startsWith('  '))
    const headers = fields.map(pairOf(': '))
    const url = new URL(address)
    for (const [name, value] of query.map(pairOf('='))) url.searchParams.append(name, value)
    if (query.length > 0) {
      const callback = await allow(url)
      known['CODE'] = callback.searchParams.get('code') ?? ''
      sent.push({ request: `${method} ${url.pathname}`, status: known['CODE'] === '' ? 400 : 200 })
      continue
    }
    // A form is one line: the page breaks it before each `&`.
    const isForm = headers.some(([, value]) => value === 'application/x-www-form-urlencoded')
    const content = isForm ? body.join('').replaceAll('\n', '') : body.join('\n\n')
    const send = () => fetch(url, { method, headers, ...(method !== 'GET' && { body: content }) })
    const response = await send()
    const answer = await response.text()
    sent.push({ request: `${method} ${url.pathname}`, status: response.status })
    if (method === 'GET') {
      const init = { headers }
      userinfo = async () => (await fetch(url, init)).status
    }
    const { client_id, access_token, refresh_token } = (
      answer.startsWith('{') ? JSON.parse(answer) : {}
    ) as Readonly<Record<string, string | undefined>>
    if (client_id !== undefined) known['CLIENT_ID'] = client_id
    if (access_token !== undefined) known['ACCESS_TOKEN'] = access_token
    if (refresh_token !== undefined) known['REFRESH_TOKEN'] = known['TOKEN'] = refresh_token
  }
  if (userinfo === null) throw new Error('the page shows no use of a token')
  return { sent, afterwards: await userinfo() }
}

const pairOf =
  (between: string) =>
  (text: string): [name: string, value: string] => {
    const at = text.indexOf(between)
    return [text.slice(0, at), text.slice(at + between.length)]
  }

/** What {@link followAuthMd} sends to a server whose page is right. */
export const AUTH_MD_WALK: Awaited<ReturnType<typeof followAuthMd>> = {
  sent: [
    { request: 'POST /api/oauth/register', status: 201 },
    { request: 'GET /oauth/authorize', status: 200 },
    { request: 'POST /api/oauth/token', status: 200 },
    { request: 'GET /api/oauth/userinfo', status: 200 },
    { request: 'POST /api/oauth/token', status: 200 },
    { request: 'POST /api/oauth/revoke', status: 200 },
  ],
  // The grant was revoked.
  afterwards: 401,
}

/** The addresses of a school that a text names. */
export const addressesOf = (text: string, origin: string): readonly string[] => [
  ...new Set(
    [...text.matchAll(/https?:\/\/[\w.:-]+(?:\/[\w./-]*)?/g)]
      .map(([address]) => address.replace(/\.$/, ''))
      .filter((address) => address.startsWith(origin)),
  ),
]
