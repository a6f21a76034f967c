import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'

/**
 * Expects texts to be as they were: `file` has a line for each, its name and a digest. Where one has changed, the failure
 * shows the whole of it; `npx vitest run <test file> -u` writes the digests anew.
 */
export async function expectUnchanged(
  texts: ReadonlyMap<string, string>,
  file: string,
): Promise<void> {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const known = before.split('\n')
  const lines = Array.from(texts, ([name, text]) => `${digestOf(text)} ${name}`)
  const now = `${lines.join('\n')}\n`
  // Only vitest itself, which no mutant has, can write a file anew.
  if (now === before) return expect(now).toBe(before)
  const changed = [...texts].filter((_, index) => !known.includes(lines[index]!))
  const shown = [
    ...changed.map(([name, text]) => `${name} is now:\n${text}`),
    'If you meant to change this: npx vitest run <test file> -u',
  ].join('\n\n')
  await expect(now, shown).toMatchFileSnapshot(file)
}

const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 16)
