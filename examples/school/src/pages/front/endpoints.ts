import type { FrontView } from './front.js'
import { type Html, html } from '../../../../pages/html.js'

interface Row {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly text: string
}

const GROUPS: readonly { readonly title: string; readonly rows: readonly Row[] }[] = [
  {
    title: 'Discovery',
    rows: [
      {
        method: 'GET',
        path: '/.well-known/oauth-authorization-server',
        text: 'Authorization server metadata (RFC 8414)',
      },
      {
        method: 'GET',
        path: '/.well-known/openid-configuration',
        text: 'The same metadata for OpenID Connect',
      },
      {
        method: 'GET',
        path: '/.well-known/oauth-protected-resource',
        text: 'Protected resource metadata (RFC 9728)',
      },
      { method: 'GET', path: '/.well-known/jwks.json', text: 'The keys that sign ID tokens' },
      { method: 'GET', path: '/auth.md', text: 'How to get access, written for people and agents' },
    ],
  },
  {
    title: 'For staff apps',
    rows: [
      { method: 'GET', path: '/docs', text: 'Read and try the admin API' },
      { method: 'GET', path: '/openapi.json', text: 'All of these endpoints in OpenAPI' },
    ],
  },
  {
    title: 'For member apps',
    rows: [
      { method: 'GET', path: '/account/graphiql', text: 'Try the Account API in GraphiQL' },
      { method: 'GET', path: '/account/schema.graphql', text: 'Its schema' },
      { method: 'POST', path: '/account/graphql', text: 'The Account API itself' },
    ],
  },
]

/** Renders the list of endpoints, with links to those that a browser can open. */
export const frontEndpoints = ({ site, origin }: FrontView): Html =>
  html`<section class="band band-inset" id="endpoints" aria-labelledby="endpoints-title">
    <div class="band-head">
      <h2 id="endpoints-title">Endpoints</h2>
      <p>All of them are live on <code class="letters">${origin}</code>.</p>
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
          Give this address to any MCP client. Without a sign-in, it can call the public tools. When
          it calls another tool, it has to go through the steps below first.
        </p>
        <p><code class="doors-address letters">${origin}/mcp</code></p>
        <p>
          Some clients sign in only when they are asked. This address always asks, and the second
          one asks for a client of members:
        </p>
        <p>
          <code class="doors-address letters">${origin}/mcp/signed-in</code>
          <code class="doors-address letters">${origin}/mcp/member</code>
        </p>
        <p>In a terminal with Claude Code:</p>
        <p>
          <code class="doors-address letters"
            >claude mcp add --transport http ${site.theme} ${origin}/mcp</code
          >
        </p>
        <p>
          <a href="/connect">Connect yours</a> has the lines for more clients, and shows each step
          of yours.
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
