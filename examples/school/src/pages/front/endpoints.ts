import type { FrontView } from './front.js'
import { type Html, html } from '../html.js'

interface Row {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly text: string
}

const GROUPS: readonly { readonly title: string; readonly rows: readonly Row[] }[] = [
  {
    title: 'To find everything else',
    rows: [
      {
        method: 'GET',
        path: '/.well-known/oauth-authorization-server',
        text: 'What the authorization server has and supports. RFC 8414',
      },
      {
        method: 'GET',
        path: '/.well-known/openid-configuration',
        text: 'The same for OpenID Connect',
      },
      {
        method: 'GET',
        path: '/.well-known/oauth-protected-resource',
        text: 'Whose tokens open this origin. RFC 9728',
      },
      { method: 'GET', path: '/.well-known/jwks.json', text: 'The keys that sign ID tokens' },
      { method: 'GET', path: '/auth.md', text: 'How to get in, as a text for people and agents' },
    ],
  },
  {
    title: 'For apps of staff',
    rows: [
      { method: 'GET', path: '/docs', text: 'The admin API to read and to try' },
      { method: 'GET', path: '/openapi.json', text: 'Its OpenAPI description' },
    ],
  },
  {
    title: 'For apps of members',
    rows: [
      { method: 'GET', path: '/account/graphiql', text: 'The Account API to try: GraphiQL' },
      { method: 'GET', path: '/account/schema.graphql', text: 'Its schema' },
      { method: 'POST', path: '/account/graphql', text: 'The Account API itself' },
    ],
  },
]

/** What there is to ask, with links to whatever a browser can open. */
export const frontEndpoints = ({ site, origin }: FrontView): Html =>
  html`<section class="band band-inset" id="endpoints" aria-labelledby="endpoints-title">
    <div class="band-head">
      <h2 id="endpoints-title">What there is to ask</h2>
      <p>Every address is alive on <code class="letters">${origin}</code>.</p>
    </div>
    <div class="doors">
      ${GROUPS.map(
        ({ title, rows }) =>
          html`<div class="doors-group">
            <h3>${title}</h3>
            <ul>
              ${rows.map(door)}
            </ul>
          </div>`,
      )}
      <div class="doors-group doors-mcp">
        <h3>For agents: MCP</h3>
        <p>
          Give this address to any MCP client. Without a sign-in it has the public tools; a client
          that asks for more is sent through the sequence below.
        </p>
        <p><code class="doors-address letters">${origin}/mcp</code></p>
        <p>In a terminal with Claude Code:</p>
        <p>
          <code class="doors-address letters"
            >claude mcp add --transport http ${site.theme} ${origin}/mcp</code
          >
        </p>
      </div>
    </div>
  </section>`

const door = ({ method, path, text }: Row): Html =>
  html`<li class="door">
    <span class="door-method">${method}</span>
    <span
      >${
        method === 'GET'
          ? html`<a class="letters" href="${path}">${path}</a>`
          : html`<code class="letters">${path}</code>`
      }<span class="quiet">${text}</span></span
    >
  </li>`
