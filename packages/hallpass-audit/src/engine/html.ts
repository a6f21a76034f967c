import type { Exchange, Shown } from '../finding.js'
import { type DefaultTreeAdapterTypes as Tree, defaultTreeAdapter, Parser } from 'parse5'

/** An element of a page. */
export interface Element {
  /** The name of its tag, in lower case. */
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  /** The element around it; `null` if there is none. */
  readonly parent: Element | null
  /** The form that had begun before it and not ended, which need not be around it; `null` if there is none. */
  readonly form: Element | null
  /** Its text, and the texts in place of its pictures. */
  readonly text: string
}

/** Whether an element is a field for a password. */
export const isPassword = ({ tag, attributes: { type } }: Element): boolean =>
  tag === 'input' && /^password$/i.test(type ?? '')

const read = new WeakMap<
  Exchange,
  { readonly text: string; readonly elements: readonly Element[] }
>()

/** Lists the elements of a page that was received. What one check has read is kept for the others. */
export function elementsIn({
  text,
  exchange,
}: { readonly text: string } & Shown): readonly Element[] {
  const known = read.get(exchange)
  if (known?.text === text) return known.elements
  const elements = elementsOf(text)
  read.set(exchange, { text, elements })
  return elements
}

/** Lists the elements of a page in its order, as a browser without script reads them. */
function elementsOf(html: string): readonly Element[] {
  const forms = new Map<Tree.Element, Tree.Element>()
  const parser = new Parser<Tree.DefaultTreeAdapterMap>({
    scriptingEnabled: false,
    treeAdapter: {
      ...defaultTreeAdapter,
      createElement(...given) {
        const made = defaultTreeAdapter.createElement(...given)
        if (parser.formElement !== null) forms.set(made, parser.formElement)
        return made
      },
    },
  })
  parser.tokenizer.write(html, true)

  const elements = new Map<Tree.Node, Element>()
  const waiting: Tree.Node[] = [parser.document]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if ('childNodes' in node) for (const child of node.childNodes.toReversed()) waiting.push(child)
    if (!('tagName' in node)) continue
    const { tagName: tag, attrs, parentNode } = node
    const own = node
    elements.set(node, {
      tag,
      attributes: Object.fromEntries(attrs.map(({ name, value }) => [name, value])),
      parent: (parentNode && elements.get(parentNode)) ?? null,
      get form() {
        return elements.get(forms.get(own)!) ?? null
      },
      get text() {
        return textOf(own)
      },
    })
  }
  return [...elements.values()]
}

function textOf(node: Tree.Node): string {
  if ('value' in node) return node.value
  if ('tagName' in node && node.tagName === 'img')
    return node.attrs.find(({ name }) => name === 'alt')?.value ?? ''
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : ''
}
