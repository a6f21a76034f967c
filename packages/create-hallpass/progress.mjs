// Shows that long work continues, and for how long. Without a terminal this is one line.

/** @returns `say`: replaces what is shown after the time, `end`: ends it */
export function showProgress(what) {
  const { stdout } = process
  const isLive = stdout.isTTY && process.env['TERM'] !== 'dumb'
  const startedAt = performance.now()
  let detail = ''
  const draw = () => {
    const seconds = `${Math.round((performance.now() - startedAt) / 1000)} s`
    const line = `${what} … ${[seconds, detail].filter(Boolean).join(', ')}`
    // A line that is wrapped could not be drawn again.
    stdout.write(`\r\x1b[K${line.slice(0, (stdout.columns || 80) - 1)}`)
  }
  const timer = isLive ? setInterval(draw, 200) : undefined
  if (!isLive) console.log(`${what} …`)
  return {
    say: (text) => void (detail = text),
    end() {
      clearInterval(timer)
      if (isLive) stdout.write('\r\x1b[K')
    },
  }
}
