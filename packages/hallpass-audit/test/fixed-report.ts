import type { AuditReport, AuditRow, Clause, Verdict } from 'hallpass-audit'

/** A row with everything but what a test says. */
export function row(
  check: string,
  verdict: Verdict,
  { clause, ...rest }: Partial<Omit<AuditRow, 'clause'>> & { readonly clause?: Partial<Clause> } = {},
): AuditRow {
  return {
    check,
    verdict,
    found: 'a wrong verifier is answered by 400 invalid_grant',
    url: 'https://www.rfc-editor.org/rfc/rfc7636#section-4.6',
    request: 'POST /oauth/token\ncontent-type: application/x-www-form-urlencoded\n\ngrant_type=authorization_code&code=Ab12…&client_id=first',
    answer: '400\ncontent-type: application/json\ncache-control: no-store\n\n{"error":"invalid_grant"}',
    change: 'Store the challenge with the code, and compare the SHA-256 of the verifier with it in constant time.',
    clause: {
      document: 'RFC 7636',
      section: '4.6',
      level: 'MUST',
      subject: 'authorization server',
      quote: 'If the values are not equal, an error response indicating "invalid_grant" as described in Section 5.2 of [RFC6749] MUST be returned.',
      ...clause,
    },
    ...rest,
  }
} // prettier-ignore

/** A report of these rows. */
export function reportOf(
  rows: readonly AuditRow[],
  changes: Partial<AuditReport> = {},
): AuditReport {
  const counts = { held: 0, violated: 0, advice: 0, 'not applicable': 0, 'not reached': 0 }
  for (const { verdict } of rows) counts[verdict] += 1
  return {
    issuer: 'http://127.0.0.1:3000',
    startedAt: '2026-11-28T09:30:00.000Z',
    version: '0.1.0',
    depth: 'people',
    rows,
    counts,
    requests: 1234,
    created: { clients: 3, authorizations: 12 },
    left: { clients: [{ client_id: 'one', client_name: 'hallpass-audit' }], grants: 2 },
    beyond: 0,
    against: null,
    refused: [],
    ...changes,
  }
}

const METADATA = {
  request: 'GET /.well-known/oauth-authorization-server\naccept: application/json\n',
  answer:
    '200\ncontent-type: application/json\n\n{"issuer":"http://127.0.0.1:3000","code_challenge_methods_supported":["S256","plain"]}',
}
const NO_CLIENT = 'no client could be registered (403): give `clients` in the file of --sign-in'

/** One row of each kind and level, and two rows with the same reason. */
export const fixedReport: AuditReport = reportOf([
  row('metadata/issuer', 'held', {
    found: 'issuer is http://127.0.0.1:3000',
    url: 'https://www.rfc-editor.org/rfc/rfc8414#section-3.3',
    clause: { document: 'RFC 8414', section: '3.3', quote: 'The issuer of the metadata is the identifier from which its address was made.' },
    ...METADATA,
  }),
  row('metadata/endpoints', 'held', { found: 'all endpoints have https or a loopback address', ...METADATA }),
  row('pkce/plain-not-named', 'violated', {
    found: 'it lists plain',
    url: 'https://www.rfc-editor.org/rfc/rfc9700#section-2.1.1',
    change: 'Remove "plain" from code_challenge_methods_supported, and refuse it.',
    clause: { document: 'RFC 9700', section: '2.1.1', level: 'SHOULD', quote: 'Clients use a method that does not show the verifier in the request, which S256 alone does today.' },
    ...METADATA,
  }),
  row('pkce/wrong-verifier', 'violated', {
    found: 'a wrong verifier is answered by 200 without an error, not by invalid_grant',
    answer: '200\ncontent-type: application/json\ncache-control: no-store\npragma: no-cache\nx-powered-by: a server\nvary: origin\ncontent-length: 61\n\n{"access_token":"eyJh…","token_type":"Bearer","expires_in":3600}',
  }),
  row('pkce/missing-verifier', 'not reached', { found: NO_CLIENT, request: 'POST /oauth/register\ncontent-type: application/json\n\n{"client_name":"hallpass-audit"}', answer: '403\n' }),
  row('code/used-twice', 'not reached', { found: NO_CLIENT, clause: { document: 'RFC 6749', section: '4.1.2', level: 'MUST NOT' } }),
  row('code/lifetime', 'not reached', { found: 'the check took too long', request: null, answer: null, clause: { level: 'SHOULD' } }),
  row('introspection/unknown-token', 'not applicable', { found: 'the metadata names no introspection_endpoint', request: null, answer: null }),
  row('pkce/short-verifier', 'advice', { found: 'a verifier of 20 characters is answered by 200', clause: { level: 'advice' } }),
  row('headers/cors', 'held', { clause: { document: 'Fetch', section: 'CORS protocol', level: 'SHOULD NOT' } }),
], { depth: 'anonymous', beyond: 1 }) // prettier-ignore

/** A terminal that obeys it, a page that runs it and a text that links it would all do what this server wants. */
const HOSTILE = [
  'said \u001b[2J\u001b]0;owned\u0007\u009b31m\u0000\u0008\u007f',
  '\u202ereversed\u2066\u200b\u2028\u{e0041}',
  '<script>alert(1)</script><img src=x onerror=alert(1)>"\' onmouseover="alert(1)',
  '[click](javascript:alert(1)) ![x](https://evil.example/x.png) @someone #1 ```\n# Heading\n| a | b |\n<!-- ``` --> ~~~',
  '::add-mask::x ::error file=a::b ##[error]c',
  '\n```\n<img src=https://evil.example/y.png>\n\n~~~\n<script>`<img src=z>` ``<img src=z>``',
].join(' ')

/** A server that answers with what no report may pass on. */
export const hostileReport: AuditReport = reportOf([
  row('pkce/wrong-verifier', 'violated', { found: HOSTILE, request: HOSTILE, answer: `200\n${HOSTILE}\n\n${HOSTILE}` }),
  row('pkce/missing-verifier', 'not reached', { found: HOSTILE, answer: HOSTILE }),
  row('pkce/plain', 'violated', { found: HOSTILE, request: `GET ${HOSTILE}` }),
  row('pkce/s256-named', 'held', { found: HOSTILE, request: `GET /${HOSTILE}` }),
]) // prettier-ignore
