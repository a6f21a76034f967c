const MOST = 200

/** Describes a page by the beginning of its first paragraph, in at most 200 characters, as search engines show it. */
export function descriptionOf(markdown: string): string {
  const blocks = markdown
    .replace(/^---\n[^]*?\n---\n/, '')
    .replaceAll(/^```[^]*?^```$/gm, '')
    .split(/\n\s*\n/)
    .map((block) => block.trim())
  const title = blocks.findIndex((block) => block.startsWith('# '))
  const paragraph = blocks.slice(title + 1).find((block) => /^[^#|<!:>-]/.test(block)) ?? ''
  const text = paragraph
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*\\]/g, '')
    .replaceAll(/\s+/g, ' ')
  if (text.length <= MOST) return text
  const sentences = /^.{40,200}?[.:](?= )(?:.{0,160}[.:](?= ))?/.exec(text.slice(0, MOST + 1))
  return sentences?.[0] ?? `${text.slice(0, text.lastIndexOf(' ', MOST))} …`
}
