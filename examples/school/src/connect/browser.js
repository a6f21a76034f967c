// Keeps the box with the steps up to date. How often it asks is for the school to say, in data-pause.
const status = document.querySelector('#live-status')
const query = new URLSearchParams(location.search)
let timer = 0
let failures = 0
let asking = false

const box = () => document.querySelector('#live')
const textOf = (element) => element?.textContent.replace(/\s+/g, ' ').trim() ?? ''

/** Shows a newer box. A step that was there stays, so that only a new one moves. */
function show(next) {
  const old = box()
  if (old.isEqualNode(next)) return
  const had = new Set([...old.querySelectorAll('.live-step')].map(textOf))
  const steps = [...next.querySelectorAll('.live-step')]
  for (const step of steps) if (!had.has(textOf(step))) step.classList.add('live-new')
  old.replaceWith(next)
  const said = [textOf(next.querySelector('h2')), textOf(steps.at(-1))].filter(
    (text) => text !== '',
  )
  if (status.textContent !== said.join('. ')) status.textContent = said.join('. ')
}

async function ask() {
  if (asking || document.hidden) return
  asking = true
  clearTimeout(timer)
  try {
    const sent = new URLSearchParams(query)
    const response = await fetch(`/connect/steps?${sent}`, { signal: AbortSignal.timeout(10_000) })
    if (!response.ok) throw new Error(String(response.status))
    if (sent.has('run')) query.delete('run')
    const parsed = new DOMParser().parseFromString(await response.text(), 'text/html')
    const next = parsed.querySelector('#live')
    if (next === null) throw new Error('no box')
    show(document.adoptNode(next))
    failures = 0
  } catch {
    failures++
  }
  asking = false
  wait()
}

/** Waits as long as the school says, twice as long after each failure, and not at all while nobody looks. */
function wait() {
  const { pause } = box().dataset
  if (!pause || document.hidden) return
  if (failures > 8) {
    box().querySelector('h2').textContent = 'This page lost the school. Load it again.'
    status.textContent = textOf(box().querySelector('h2'))
    return
  }
  timer = setTimeout(() => void ask(), Math.min(Number(pause) * 2 ** failures, 60) * 1000)
}

/** The lines are copied, or run: from now on the school waits for the client, however long the page was open. */
function begin() {
  query.set('wait', '1')
  query.set('run', '1')
  failures = 0
  void ask()
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(timer)
  if (!document.hidden) void ask()
})
// Also if the lines are selected by hand.
document.addEventListener('copy', begin)
document.addEventListener('click', (event) => {
  if (event.target.closest('.more .button') !== null) begin()
})
document.addEventListener('submit', (event) => {
  if (event.target.closest('#live') === null) return
  event.preventDefault()
  begin()
})

await import(new URL('/assets/copy.js', location.origin))
wait()
