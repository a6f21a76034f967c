import type { MarkdownRenderer } from 'vitepress'
import { isOld, MOST_DAYS } from '../../scripts/old-facts.js'

type Rule = Parameters<MarkdownRenderer['core']['ruler']['push']>[1]

/** Marks the rows of the table of clients whose facts are too old today: a class, and words after their day. */
export const markOldFacts: Rule = ({ tokens, env, Token }) => {
  const { path } = env as { path: string }
  if (!path.endsWith('/look-up/clients.md')) return
  const today = new Date().toISOString().slice(0, 10)
  let row = tokens[0]
  for (const token of tokens) {
    if (token.type === 'tr_open') row = token
    if (!/^\d{4}-\d\d-\d\d$/.test(token.content) || !isOld(token.content, today)) continue
    row?.attrJoin('class', 'old-facts')
    const words = new Token('text', '', 0)
    words.content = `: more than ${MOST_DAYS} days old`
    token.children?.push(words)
  }
}
