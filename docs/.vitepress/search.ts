import type { MarkdownEnv, MarkdownRenderer } from 'vitepress'
import { packedText } from '../../scripts/packed.js'

/** Words that people search for, and the page that answers in others. */
const WORDS: Readonly<Record<string, string>> = {
  'docs/do/client-cannot-connect.md': 'CORS',
  'docs/learn/how-oauth-works.md': 'JWT',
}

/**
 * Renders a page for the index of the search. Rows of a table that can be linked are results of their own, as if each
 * had a heading.
 */
export function renderForSearch(
  source: string,
  env: MarkdownEnv,
  markdown: MarkdownRenderer,
): string {
  const words = WORDS[env.relativePath]
  const text = packedText({ path: env.relativePath, text: source })
  const html = markdown
    .render(words === undefined ? text : text.replace(/^# .*\n/m, `$&\n${words}\n`), env)
    .replaceAll(/<!--[^]*?-->/g, '')
  const known = new Set([...html.matchAll(/<h\d id="([^"]+)"/g)].map(([, id]) => id))
  return html.replaceAll(/<tr[^>]*>\s*<td[^>]*><a id="([^"]+)"/g, (row, id: string) => {
    if (known.has(id)) return row
    known.add(id)
    return `<h4>${id} <a href="#${id}">#</a></h4>${row}`
  })
}

/**
 * How the search finds and orders pages, for MiniSearch. The site carries each function as text, so none of them may
 * use anything outside of itself.
 */
export const miniSearch = {
  options: {
    /** Words, and names with underscores also as a whole. */
    tokenize: (text: string): string[] => [
      ...text.split(/[\n\r\p{Z}\p{P}]+/u),
      ...(text.match(/[a-z\d]+(?:_[a-z\d]+)+/gi) ?? []),
    ],
    /** Leaves out the words that every page has. A name in camel case is found by each of its words too. */
    processTerm: (term: string): string | string[] | null => {
      const stops =
        /^(?:.?|an|and|are|as|at|be|by|can|do|does|for|from|how|if|in|is|it|its|me|my|of|on|or|so|that|the|this|to|use|we|what|when|where|which|who|why|with|you|your)$/
      const word = term.toLowerCase()
      if (stops.test(word)) return null
      // No other word is the beginning of a whole name.
      if (word.includes('_')) return `=${word}`
      const parts = term.split(/(?<=[a-z\d])(?=[A-Z])/)
      if (parts.length === 1) return word
      return [word, ...parts.map((part) => part.toLowerCase()).filter((part) => !stops.test(part))]
    },
  },
  searchOptions: {
    /** A name with underscores is meant as a whole. */
    tokenize: (text: string): string[] => text.split(/[\n\r\p{Z}]+|(?!_)\p{P}+/u),
    fuzzy: (term: string): number | false =>
      term.length > 4 && !term.startsWith('=') ? 0.2 : false,
    prefix: (term: string): boolean => term.length > 2,
    boost: { title: 4, titles: 2, text: 1 },
    weights: { fuzzy: 0.2, prefix: 0.3 },
    /** Guides before the reference, the beginning of a page before its sections, the pages of makers last. Reasons by their whole names. */
    boostDocument: (
      id: string,
      term: string,
      stored?: { readonly titles?: readonly string[] },
    ): number => {
      const isTop = stored?.titles?.length === 0
      if (/\/(?:contribute|decisions)\/|\/look-up\/changelog\b/.test(id)) return 0.02
      if (/\/look-up\/reference\//.test(id)) return isTop ? 1.5 : 0.15
      if (/\/look-up\/errors\b/.test(id) && !isTop) return term.startsWith('=') ? 12 : 0.4
      return isTop ? 3 : 1.5
    },
  },
}
