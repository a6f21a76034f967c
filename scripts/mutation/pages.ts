import { readFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'
import type { Scores } from './record.js'
import { ROOT } from './settings.js'

const TABLE = /^\| part +\| mutants(?:.*\|\n)+/m
const DAY = /^Measured on \S+ with Node [\d.]+;/m
const LINE = /^- \d+ % of more than .*mutants.*$/m

/** The pages that say what a whole run found, as they are to be. */
export async function pagesOf(record: Scores): Promise<Readonly<Record<string, string>>> {
  const scores = Object.entries(record.parts)
  const rows = scores.map(([name, { mutants, tried, killed }]) => {
    const part = name.startsWith('src/') ? `\`${name}\`` : name
    return `| ${part} | ${mutants} | ${tried} | ${tried - killed} | ${((100 * killed) / tried).toFixed(1)} % |`
  })
  const sum = (of: (score: (typeof scores)[number][1]) => number): number =>
    scores.reduce((total, [, score]) => total + of(score), 0)
  const [tried, killed] = [sum((one) => one.tried), sum((one) => one.killed)]
  const share = Math.floor(record.share)
  const many = `${Math.floor(tried / 1000)},000`
  const said = `- ${Math.floor((100 * killed) / tried)} % of more than ${many} [mutants](docs/testing.md#mutation-score) are killed (\`npm run mutate\`, ${record.date}). They are of ${share} % of the code lines of \`src\`.`
  const table = `| part | mutants | tried | survived | score |\n| - | - | - | - | - |\n${rows.join('\n')}\n`
  return {
    'README.md': await written('README.md', [[LINE, said]]),
    'docs/testing.md': await written('docs/testing.md', [
      [TABLE, table],
      [DAY, `Measured on ${record.date} with Node ${record.node.slice(1)};`],
    ]),
  }
}

async function written(
  path: string,
  parts: readonly (readonly [RegExp, string])[],
): Promise<string> {
  const page = readFileSync(ROOT + path, 'utf8')
  const next = parts.reduce((text, [part, now]) => {
    if (!part.test(text)) throw new Error(`${path} has no ${part.source}`)
    return text.replace(part, () => now)
  }, page)
  return format(next, { ...(await resolveConfig(ROOT + path)), parser: 'markdown' })
}
