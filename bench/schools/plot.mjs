import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [720, 340, 64, 44, 44]

/**
 * Draws the heap of one process by the number of schools that were asked, for each server, into docs/images/schools.svg.
 *
 * @param lines - `name`, `color`, and `points` as pairs of schools and MB
 */
export function writePlot(lines, { most, megabytes }) {
  const x = (schools) => LEFT + ((WIDTH - LEFT - 150) * schools) / most
  const y = (value) =>
    HEIGHT - BOTTOM - ((HEIGHT - BOTTOM - TOP) * Math.min(value, megabytes)) / megabytes
  const text = (at, anchor, words, more = '') =>
    `<text x="${at[0].toFixed(1)}" y="${at[1].toFixed(1)}" text-anchor="${anchor}" ${more}>${words}</text>`
  const steps = [0, 0.25, 0.5, 0.75, 1]
  const grid = steps.map((step) => {
    const at = y(step * megabytes)
    return `<line x1="${LEFT}" x2="${WIDTH - 150}" y1="${at}" y2="${at}" stroke="#d8dce3"/>${text([LEFT - 8, at + 4], 'end', `${(step * megabytes).toFixed(0)}`)}`
  })
  const ticks = steps.map((step) =>
    text([x(step * most), HEIGHT - BOTTOM + 20], 'middle', (step * most).toLocaleString('en')),
  )
  const drawn = lines.map(({ name, color, points }, line) => {
    const inside = points.filter(([, value]) => value <= megabytes)
    const [lastX, lastY] = inside.at(-1)
    const path = inside
      .map(([schools, value]) => `${x(schools).toFixed(1)},${y(value).toFixed(1)}`)
      .join(' ')
    return `<polyline points="${path}" fill="none" stroke="${color}" stroke-width="2.5"/>${text([x(lastX) + 8, y(lastY) + 18 * line - 5], 'start', name, `fill="${color}" font-weight="600"`)}`
  })
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Heap of a process by the number of schools">
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
<g font-family="system-ui, sans-serif" font-size="12" fill="#3c4555">
${text([LEFT, 22], 'start', 'Heap of one process in MB, by schools that were asked', 'font-size="14" font-weight="600" fill="#1c2430"')}
${[...grid, ...ticks, ...drawn].join('\n')}
</g>
</svg>
`
  writeFileSync(fileURLToPath(new URL('../../docs/images/schools.svg', import.meta.url)), svg)
}
