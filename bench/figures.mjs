import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { fileURLToPath } from 'node:url'

/** Names the machine of a table. */
export function machine() {
  const [{ model }] = cpus()
  return `${process.platform} ${process.arch}, ${availableParallelism()} × ${model.trim()}`
}

/** Returns the value below which a share of the values lies: 0.5 for the median. */
export function quantile(values, share) {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

/** Formats rows as a Markdown table, the first of which is its head. */
export function tableOf([head, ...rows]) {
  const lines = [head, ['---', ...head.slice(1).map(() => '--:')], ...rows]
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n')
}

/** Replaces a part of the page about performance, between the comments with this marker. */
export function writeFigures(marker, report) {
  const path = fileURLToPath(new URL('../docs/understand/performance.md', import.meta.url))
  const [begin, end] = [`<!-- ${marker} -->`, `<!-- end of ${marker} -->`]
  const page = readFileSync(path, 'utf8')
  const [at, until] = [page.indexOf(begin), page.indexOf(end)]
  if (at === -1 || until < at)
    throw new Error(`docs/understand/performance.md has no ${begin} and ${end}`)
  writeFileSync(path, `${page.slice(0, at)}${begin}\n\n${report}\n\n${page.slice(until)}`)
}
