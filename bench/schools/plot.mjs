import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [WIDTH, HEIGHT] = [720, 360]
const [LEFT, RIGHT, TOP, BOTTOM] = [64, 540, 64, 300]
/** The least distance of the names of two lines. */
const APART = 18

/** A quarter of an axis that reaches a value: 1, 2 or 5 times a power of ten, or half of 5. */
function quarterOf(most) {
  const power = 10 ** Math.floor(Math.log10(most / 4))
  return [1, 2, 2.5, 5, 10].find((times) => times * power * 4 >= most) * power
}

/**
 * Draws the heap of one process by the number of schools that were asked, for each server, into docs/images/schools.svg.
 *
 * @param lines - `name`, `color`, and `points` as pairs of schools and MB
 */
export function writePlot(lines) {
  const points = lines.flatMap((line) => line.points)
  const most = Math.max(...points.map(([schools]) => schools))
  const megabytes = 4 * quarterOf(Math.max(...points.map(([, value]) => value)))
  const x = (schools) => LEFT + ((RIGHT - LEFT) * schools) / most
  const y = (value) => BOTTOM - ((BOTTOM - TOP) * value) / megabytes
  const text = (at, anchor, words, more = '') =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" text-anchor="${anchor}" ${more}>${words}</text>`
  const quarters = [0, 0.25, 0.5, 0.75, 1]
  const grid = quarters.map((part) => {
    const at = y(part * megabytes)
    return `<line x1="${LEFT}" x2="${RIGHT}" y1="${at}" y2="${at}" stroke="#d8dce3"/>${text([LEFT - 8, at + 4], 'end', (part * megabytes).toLocaleString('en'))}`
  })
  const ticks = quarters.map((part) =>
    text([x(part * most), BOTTOM + 20], 'middle', (part * most).toLocaleString('en')),
  )
  let lowest = Infinity
  const drawn = lines
    .toSorted((one, other) => one.points.at(-1)[1] - other.points.at(-1)[1])
    .map(({ name, color, points: pairs }) => {
      const [schools, value] = pairs.at(-1)
      lowest = Math.min(y(value), lowest - APART)
      const path = pairs
        .map((pair) => `${x(pair[0]).toFixed(1)},${y(pair[1]).toFixed(1)}`)
        .join(' ')
      const label = `${name}, ${value.toFixed(0)} MB`
      return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2.5" stroke-linejoin="round"/>${text([x(schools) + 8, lowest + 4], 'start', label, `fill="${color}" font-weight="600"`)}`
    })
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" font-family="ui-sans-serif, system-ui, sans-serif" font-size="12" fill="#3c4555">
<title>Heap of one process by the number of schools that were asked</title>
<rect width="${WIDTH}" height="${HEIGHT}" rx="8" fill="#fff"/>
${text([16, 28], 'start', 'Heap of one process', 'font-size="14" font-weight="600" fill="#1c2430"')}
${text([LEFT - 8, TOP - 14], 'end', 'MB')}
${text([(LEFT + RIGHT) / 2, BOTTOM + 42], 'middle', 'schools that were asked, or instances that were built')}
${[...grid, ...ticks, ...drawn].join('\n')}
</svg>
`
  writeFileSync(fileURLToPath(new URL('../../docs/images/schools.svg', import.meta.url)), svg)
}
