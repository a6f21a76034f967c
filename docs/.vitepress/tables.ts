import type { MarkdownRenderer } from 'vitepress'

type Rule = Parameters<MarkdownRenderer['core']['ruler']['push']>[1]

/** Code of a cell up to this length stays on one line. */
const LONGEST_NAME = 40

/**
 * Gives each cell the head of its column, which a narrow screen shows instead of the row of heads, and marks the code
 * that is not to be broken.
 */
export const labelCells: Rule = ({ tokens }) => {
  let heads: string[] = []
  let column = 0
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'thead_open') heads = []
    if (token.type === 'tr_open') column = 0
    const children = tokens[index + 1]?.children ?? []
    if (token.type === 'th_open') heads.push(children.map(({ content }) => content).join(''))
    if (token.type !== 'td_open') continue
    const head = heads[column++]
    if (head !== undefined && head !== '') token.attrSet('data-label', head)
    for (const child of children)
      if (child.type === 'code_inline' && child.content.length <= LONGEST_NAME)
        child.attrJoin('class', 'name')
  }
}

/** Lets longer code break where it has a sign, rather than in the middle of a word. */
export function keepNamesWhole({ renderer }: MarkdownRenderer): void {
  const { code_inline: render } = renderer.rules
  renderer.rules['code_inline'] = (tokens, index, ...rest) => {
    const html = render?.(tokens, index, ...rest) ?? ''
    return (tokens[index]?.content.length ?? 0) <= LONGEST_NAME
      ? html
      : html.replace(/>[^<]+</, (text) =>
          text.replaceAll(/(?<=[\w)}\]][_/.,|=?-]+)(?=\w)/g, '<wbr>'),
        )
  }
}
