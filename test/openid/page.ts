import { expectedOf, FAPI2 } from './expected.js'
import { ran } from './ran.js'

const SIGNS: Readonly<Record<string, string>> = { PASSED: '✓', FAILED: '✗' }
const PREFIX = 'fapi2-security-profile-final-'

const table = (head: readonly string[], body: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

/** What a plan says of a module, as a cell. */
function cellOf(plan: string, module: string): string {
  const row = ran().plans[plan]!.modules.find(([name]) => name === module)
  if (row === undefined) return '–'
  const [, result] = row
  return SIGNS[result] ?? result.toLowerCase()
}

const namesOf = (plan: string): readonly string[] =>
  ran().plans[plan]!.modules.map(([name]) => name)

/** How many modules of a plan have a result. */
const count = (plan: string, ...results: readonly string[]): number =>
  ran().plans[plan]!.modules.filter(([, result]) => results.includes(result)).length

/** The reasons of a module; of many, only how they begin. */
function refusalsOf(module: string): string {
  const reasons = new Set(expectedOf(FAPI2, module).refusals)
  const shown =
    reasons.size > 4
      ? [...new Set([...reasons].map((reason) => reason.replace(/^(dpop_proof_).+/, '$1…')))]
      : [...reasons]
  return shown.map((reason) => `\`${reason}\``).join(', ')
}

const summary = (key: string, title: string): readonly string[] => {
  const { name, digest } = ran().plans[key]!
  const results = ['PASSED', 'REVIEW', 'WARNING', 'SKIPPED', 'FAILED'].map((result) =>
    String(count(key, result)),
  )
  return [title, `\`${name}\``, ...results, digest.slice(0, 16)]
}

/** What `docs/look-up/openid-suite.md` says. */
export function suitePage(): string {
  const { ranOn, commit, versions } = ran()
  return [
    '# The suite of the OpenID Foundation',
    `\`npm run test:openid\` runs plans of the Foundation's [conformance suite](https://gitlab.com/openid/conformance-suite)
against the demo school: over TLS of nginx, on PostgreSQL, with its own pages, which the browser of the suite
fills in. On ${ranOn} it ran hallpass at commit \`${commit}\`, on Node ${versions.node}, PostgreSQL ${versions.postgresql} and nginx ${versions.nginx}, with the suite's version ${versions.suite}.`,
    `**hallpass is not certified.** The mark of the Foundation is for a deployment, and costs a fee and a listing, which no one has paid.
These are runs of our own. The suite was built without its code for
mobile documents, which no plan here uses, and had a server in memory in place of MongoDB.`,
    table(
      ['plan', 'its name', 'passed', 'review', 'warning', 'skipped', 'failed', 'export'],
      [
        summary('fapi2', 'FAPI 2.0, OpenID Connect'),
        summary('fapi2-oauth', 'FAPI 2.0, OAuth'),
        summary('config', 'Config OP'),
        summary('basic', 'Basic OP'),
        summary('basic-with-pkce', 'Basic OP, PKCE added'),
        summary('dynamic', 'Dynamic OP'),
        summary('logout', 'RP-initiated logout'),
      ],
    ),
    `Review: the module passed, and keeps the picture of a page for a person to look at. The last column begins the SHA-256 of
the suite's own export.`,
    '## FAPI 2.0',
    `The school has [\`fapi2\`](../do/fapi2.md). The variants are \`private_key_jwt\`, \`dpop\`, \`plain_fapi\`, and \`openid_connect\` or
\`plain_oauth\`; one client signs with PS256, the other with ES256. The names follow \`${PREFIX}\`. ✓: passed; ✗: failed;
–: of OpenID Connect only. Each module was also compared with the reasons for which hallpass [refused](errors.md).
Modules of other profiles are left out.`,
    table(
      ['module', 'OpenID Connect', 'OAuth', 'refused with'],
      namesOf('fapi2').map((name) => [
        `\`${name.slice(PREFIX.length)}\``,
        cellOf('fapi2', name),
        cellOf('fapi2-oauth', name),
        refusalsOf(name),
      ]),
    ),
    'What is not passed:',
    table(
      ['module', 'what happens, and why'],
      [
        [
          '`happy-flow`',
          'ID tokens have `org_id` and `roles`, for which no scope of OpenID Connect asks. The service description: "The `id_token` carries the same values as UserInfo".',
        ],
        [
          '`attempt-reuse-authorization-code-after-one-second`',
          'The code is refused, and the first access token remains valid: a second use within five seconds [ends nothing](../decisions/0003-who-loses-a-race.md). RFC 6749 §4.1.2: SHOULD.',
        ],
        [
          '`test-claims-parameter-identity-claims`',
          'The metadata says that `claims` is not supported.',
        ],
      ],
    ),
    '## OpenID Connect',
    `Each failure has one of these reasons:

- **Config OP** requires RS256. The service description: "\`id_token\` (algorithm ES256)".
- **Basic OP** sends no PKCE, except in one module. The service description: "The flow is OAuth 2.0 Authorization Code with PKCE; only \`S256\`
  is supported". The second run adds PKCE between the suite and the school, which no certificate permits.
- **Dynamic OP** registers a callback of its own. "A fixed HTTPS callback at registration is refused with \`invalid_redirect_uri\`". Its discovery
  module requires RS256 and further response types; \`oidcc-server-rotate-keys\` waits for a person who rotates.
- **Logout** requires \`end_session_endpoint\`: the description has no endpoint to sign out.

[Basic OP](standards.md#basic-op) has the reason of each warning.`,
    table(
      ['module', 'Basic OP', 'PKCE added'],
      namesOf('basic').map((name) => [
        `\`${name}\``,
        cellOf('basic', name),
        cellOf('basic-with-pkce', name),
      ]),
    ),
    '## Where our own tests differ',
    '`test/conformance` retells both plans, so that every commit is tried, without Java. It was wrong here:',
    table(
      ['module', 'the retold test', 'the suite', 'corrected'],
      [
        ['`refresh-token`', 'one key for all refreshes', 'a new key for each', 'hallpass'],
        [
          '`ensure-pkce-code-verifier-required`',
          'accepted `invalid_request` too',
          '`invalid_grant` only',
          'hallpass',
        ],
        ['`happy-flow`', 'ignored claims that no scope asks for', 'warns', 'the test'],
        [
          '`attempt-reuse-authorization-code-after-one-second`',
          'ignored that the access token is valid',
          'warns',
          'the test',
        ],
      ],
    ),
  ].join('\n\n')
}
