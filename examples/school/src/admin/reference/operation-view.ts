import { alreadyEscaped, type Html, html } from '../../../../pages/html.js'
import { callOf, curlOf, textOf, typescriptOf } from './calls.js'
import { type Answer, nameIn, type PlacedOperation } from './description.js'
import { fieldList, fieldsIn, objectIn, typeOf } from './fields.js'
import { markdown } from './markdown.js'

/**
 * Renders one operation: what it takes and returns, and its example as a command, as TypeScript and as a
 * response. The attributes tell the script of the page how to send it.
 */
export function operationView(operation: PlacedOperation, origin: string): Html {
  const { operationId, method, path, scope, summary, description } = operation
  const trying =
    scope !== null && html`data-method="${method}" data-path="${path}" data-scope="${scope}"`
  return html`<details class="op" id="${operationId}" ${trying}>
    <summary>
      <span class="verb" data-verb="${method}">${method}</span>
      <h3>${summary}</h3>
      <code class="op-path">${path}</code>
      ${scope !== null && html`<code class="op-scope">${scope}</code>`}
    </summary>
    <div class="op-parts">
      <div class="op-words">
        <div class="prose">${markdown(wordsBeside(summary, description))}</div>
        ${events(operation)} ${parameters(operation)} ${body(operation)} ${answers(operation)}
      </div>
      ${scope !== null && html`<div class="op-side">${samples(operation, origin)}</div>`}
    </div>
  </details>`
}

// Without a description of its own, an operation is described by its summary, which is above already.
const wordsBeside = (summary: string, description: string): string =>
  description.startsWith(`${summary}.\n`) ? description.slice(summary.length + 1) : description

const events = ({ 'x-events': names = [] }: PlacedOperation): Html | null =>
  names.length === 0
    ? null
    : html`<p class="quiet">
        Event: ${names.map((name, index) => html`${index > 0 && ', '}<code>${name}</code>`)}
      </p>`

const parameters = ({ parameters: all = [] }: PlacedOperation): Html | null =>
  all.length === 0
    ? null
    : html`<h4>Parameters</h4>
        <div class="params" data-params="${JSON.stringify(all.map(forScript))}">
          ${fieldList(
            all.map(({ name, schema, required = false, description = null, in: place }) => ({
              name,
              schema,
              isRequired: required,
              description,
              place,
            })),
          )}
        </div>`

const forScript = ({
  name,
  in: place,
  required,
  example,
}: NonNullable<PlacedOperation['parameters']>[number]): object => ({
  name,
  in: place,
  ...(required === true && { required }),
  ...(example !== undefined && { example: textOf(example) }),
})

function body({ requestBody, scope }: PlacedOperation): Html | null {
  if (requestBody === undefined) return null
  const [type, { schema, example }] = Object.entries(requestBody.content)[0]!
  const data = scope !== null && html`data-body="${JSON.stringify(example ?? {})}"`
  return html`<h4>Body</h4>
    <p class="quiet" ${data}>
      <code>${type}</code>${schema.$ref !== undefined && html`: ${typeOf(schema)}`}
    </p>
    ${fieldList(fieldsIn(objectIn(schema)))}`
}

const answers = ({ responses }: PlacedOperation): Html =>
  html`<h4>Responses</h4>
    <ul class="answers">
      ${Object.entries(responses)
        .filter(([, { $ref }]) => $ref === undefined)
        .map(([status, answer]) => html`<li>${ownAnswer(status, answer)}</li>`)}
    </ul>
    ${problems(responses)}`

function ownAnswer(status: string, { description = '', content = {} }: Answer): Html {
  const schema = Object.values(content)[0]?.schema
  return html`<code class="status">${status}</code> ${description}
    ${schema !== undefined && html`<span class="field-type">${typeOf(schema)}</span>`}
    ${schema !== undefined && fieldList(fieldsIn(objectIn(schema)))}`
}

function problems(responses: PlacedOperation['responses']): Html | null {
  const shared = Object.entries(responses).filter(([, { $ref }]) => $ref !== undefined)
  if (shared.length === 0) return null
  return html`<p class="quiet">
    Problems:
    ${shared.map(
      ([status, { $ref }], index) =>
        html`${index > 0 && ', '}<a href="#response-${nameIn($ref!)}">${status}</a>`,
    )}
  </p>`
}

function samples(operation: PlacedOperation, origin: string): Html {
  const call = callOf(operation, origin)
  const [status, answer] = Object.entries(operation.responses).find(
    ([, { content = {} }]) => content['application/json']?.example !== undefined,
  ) ?? ['204', {}]
  const example = answer.content?.['application/json']?.example
  return html`<div class="samples">
    ${sample('curl', curlOf(call), { isOpen: true })} ${sample('TypeScript', typescriptOf(call))}
    ${
      example === undefined
        ? html`<p class="sample-none">Responds with ${status}, without a body.</p>`
        : sample(`Response ${status}`, JSON.stringify(example, null, 2), { isOpen: true })
    }
  </div>`
}

const sample = (title: string, text: string, { isOpen = false } = {}): Html =>
  html`<details class="sample" ${isOpen && html`open`}>
    <summary>${title}</summary>
    <pre
      tabindex="0"
      role="region"
      aria-label="${title}"
    ><code>${text.split('\n').map(line)}</code></pre>
  </details>`

const LINE_BREAK = alreadyEscaped('\n')

/** Renders a line of code. Where it begins with a name, as in JSON, the name stands out. */
function line(text: string, index: number): Html {
  const [, space = '', name = '', rest = text] = /^( +)("?[\w-]+"?)(:.*)$/.exec(text) ?? []
  return html`${index > 0 && LINE_BREAK}${space}${name !== '' && html`<b>${name}</b>`}${rest}`
}
