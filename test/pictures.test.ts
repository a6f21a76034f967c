import { readdirSync, readFileSync, statSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ROOT } from './support/source/root.js'

const FOLDER = `${ROOT}docs/images/pages`
const namesIn = (page: string): readonly string[] =>
  [...readFileSync(ROOT + page, 'utf8').matchAll(/images\/pages\/([\w-]+\.webp)/g)].map(
    ([, name]) => name!,
  )
const kilobytes = (name: string): number => statSync(`${FOLDER}/${name}`).size / 1000

it('the pictures of pages are small, and each is shown once', () => {
  const [pair, gallery] = [namesIn('README.md'), namesIn('docs/look-up/gallery.md')]
  expect(readdirSync(FOLDER).toSorted()).toEqual([...pair, ...gallery].toSorted())
  expect(pair.filter((name) => kilobytes(name) > 150)).toEqual([])
  expect(gallery.filter((name) => kilobytes(name) > 60)).toEqual([])
  expect(gallery.reduce((sum, name) => sum + kilobytes(name), 0)).toBeLessThan(600)
})
