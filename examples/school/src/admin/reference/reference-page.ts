import { type Html, html } from '../../../../pages/html.js'
import { page, type Site } from '../../../../pages/layout.js'
import { type Description, operationsOf, type PlacedOperation } from './description.js'
import { fieldList, fieldsIn } from './fields.js'
import { markdown, markdownLine } from './markdown.js'
import { operationView } from './operation-view.js'
import { siteNav } from './site-nav.js'

/**
 * Renders an OpenAPI document as one page. It can be read without its script, `/docs/try.js`, which lets
 * staff sign in and send requests.
 */
export function referencePage({
  site,
  description,
}: {
  site: Site
  description: Description
}): Html {
  const groups = groupsOf(description)
  return page({
    site,
    title: 'API reference',
    wide: true,
    description: `Every operation of the admin API of ${site.name}, with examples to try.`,
    script: '/docs/try.js',
    style: '/docs/reference.css',
    nav: siteNav('/docs', site),
    body: html`<div class="reference">
      <div class="reference-head">
        <h1>API reference</h1>
        <div class="lead prose">${markdown(description.info.description)}</div>
        <div class="who-is">
          <p id="who" role="status">Anyone can read it. Sign in as staff to try it.</p>
          <button class="button button-main button-small" id="sign-in" type="button" hidden>
            Sign in
          </button>
        </div>
      </div>
      <nav class="contents" aria-label="Contents">
        <div class="field" id="filter" hidden>
          <label for="filter-text">Find an operation</label>
          <input id="filter-text" type="search" autocomplete="off" spellcheck="false" />
          <p class="quiet" role="status"></p>
        </div>
        ${groups.map(
          ({ title, tags }) =>
            html`<p class="contents-group">${title}</p>
              <ul>
                ${tags.map(
                  ({ name, operations }) =>
                    html`<li data-tag="${name}">
                      <a href="#tag-${name}">${inWords(name)}</a>
                      <span class="muted" aria-hidden="true">${operations.length}</span>
                    </li>`,
                )}
              </ul>`,
        )}
        <p class="contents-group">Shared</p>
        <ul>
          <li><a href="#objects">Objects</a></li>
          <li><a href="#responses">Problems</a></li>
        </ul>
      </nav>
      <div class="operations">
        ${groups.flatMap(({ tags }) =>
          tags.map((tag) => tagSection(tag, description.servers[0]!.url)),
        )}
        ${objects(description)} ${problemList(description)}
      </div>
    </div>`,
  })
}

interface Tag {
  readonly name: string
  /** `null` for a tag of the admin API, which `openapiOf` describes by its name alone. */
  readonly description: string | null
  readonly operations: readonly PlacedOperation[]
}

/** Returns the tags of the admin API, and those of the endpoints beside it. */
function groupsOf(
  description: Description,
): readonly { readonly title: string; readonly tags: readonly Tag[] }[] {
  const operations = operationsOf(description)
  const tags = description.tags.map((tag) => ({
    ...tag,
    operations: operations.filter((operation) => operation.tags.includes(tag.name)),
  }))
  const isOfAdmin = (tag: Tag): boolean => tag.operations.some(({ scope }) => scope !== null)
  const ofAdmin = tags.filter(isOfAdmin).map((tag) => ({ ...tag, description: null }))
  return [
    { title: 'Admin API', tags: ofAdmin },
    { title: 'Sign-in, members and agents', tags: tags.filter((tag) => !isOfAdmin(tag)) },
  ]
}

const INITIALS: Readonly<Record<string, string>> = { mcp: 'MCP', oauth: 'OAuth' }

const inWords = (name: string): string => {
  if (Object.hasOwn(INITIALS, name)) return INITIALS[name]!
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const tagSection = ({ name, description, operations }: Tag, origin: string): Html =>
  html`<section class="tag" data-tag="${name}" aria-labelledby="tag-${name}">
    <h2 id="tag-${name}">${inWords(name)}</h2>
    ${description !== null && html`<p class="quiet">${markdownLine(description)}</p>`}
    ${operations.map((operation) => operationView(operation, origin))}
  </section>`

const objects = ({ components: { schemas } }: Description): Html =>
  html`<section class="tag" aria-labelledby="objects">
    <h2 id="objects">Objects</h2>
    <p class="quiet">What requests and responses consist of.</p>
    ${Object.entries(schemas).map(
      ([name, schema]) =>
        html`<details class="op" id="object-${name}">
          <summary><h3>${name}</h3></summary>
          <div class="op-words">
            ${schema.description !== undefined && html`<p>${markdownLine(schema.description)}</p>`}
            ${fieldList(fieldsIn(schema))}
          </div>
        </details>`,
    )}
  </section>`

const problemList = ({ components: { responses } }: Description): Html =>
  html`<section class="tag" aria-labelledby="responses">
    <h2 id="responses">Problems</h2>
    <p class="quiet">
      A refused request is answered with a <a href="#object-Problem">Problem</a>. Its
      <code>code</code> says what was wrong.
    </p>
    <ul class="answers">
      ${Object.entries(responses).map(
        ([status, { description = '' }]) =>
          html`<li id="response-${status}">
            <code class="status">${status}</code> ${markdownLine(description)}
          </li>`,
      )}
    </ul>
  </section>`
