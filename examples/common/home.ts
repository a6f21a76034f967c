// The home page. While you develop, it shows who can sign in, and has a client that tries it.
import type { Site } from 'hallpass'
import type { Person } from 'hallpass/policy'
import { DOCS, escape, orUnavailable, page } from './pages.js'
import { script } from './try-it.js'

type Named = Pick<Site, 'issuer' | 'name'>
interface HomeOptions {
  readonly listPeople: () => Promise<readonly Person[]>
  /** Whether `/mcp` is there. */
  readonly hasTools?: boolean
}

export const homePage = (site: Named, options: HomeOptions) => orUnavailable(home(site, options))

async function home({ issuer, name }: Named, { listPeople, hasTools = false }: HomeOptions) {
  const agents = `<section class="card"><h2>Connect an AI agent</h2>
    <p>In a terminal, with Claude Code:</p>
    <pre><code>claude mcp add --transport http school ${issuer}/mcp</code></pre>
    <p>or with Codex:</p><pre><code>codex mcp add school --url ${issuer}/mcp</code></pre></section>`
  // Only loopback has http. On any other origin, the page tells nothing of people, and has no script.
  if (!issuer.startsWith('http:'))
    return page(
      name,
      `<div class="card"><h1>Apps send you here</h1><p>There is nothing to do on this page: begin in the app that you want to use.</p></div>${hasTools ? agents : ''}`,
    )
  const people = await listPeople()
  const rows = people.map(({ name: of, email, subject, roles }) => {
    const marks = roles.map((role) => `<span class="badge">${escape(role)}</span>`)
    return `<tr><td>${escape(of ?? subject)}<br><code>${escape(email ?? '')}</code></td><td>${marks.join(' ')}</td></tr>`
  })
  const body = `<h1>Your server is running</h1>
    <p>Apps ask it for access to your school, and people decide here what they may have.</p>
    <section class="card"><h2>Try it</h2>
    <p>This page can be such an app. It registers, sends you to sign in and to allow it, and shows what it gets.</p>
    <button id="try" data-issuer="${issuer}" data-email="${escape(people[0]?.email ?? '')}">Connect a test client</button>
    <div id="result" role="status"></div></section>
    <section class="card"><h2>Who can sign in</h2>
    <table><tbody>${rows.join('')}</tbody></table>
    <p class="quiet">The terminal shows the password at the first start, and later how to set a new one. An app that registers itself, as this page does, acts for staff: as a student you see how it is refused.</p></section>
    ${hasTools ? agents : ''}
    <section class="card"><h2>Make it yours</h2><ul>
    <li><a href="${DOCS}/learn/tutorial.html">Tutorial</a>: these files, step by step</li>
    <li><a href="https://git.example/hallpass/hallpass/blob/main/examples/pages/README.md">Pages to copy</a>: sign-in and consent in three languages, and the management of apps</li>
    <li><a href="/.well-known/oauth-authorization-server">Metadata</a>: what apps read first</li></ul></section>
    <footer class="quiet">This page is for you: an origin other than loopback shows neither people nor the test client.</footer>`
  return page(name, body, { script, wide: true })
}
