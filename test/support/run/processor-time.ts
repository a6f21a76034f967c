/**
 * The processor time of some work in milliseconds, the least of several runs: for work that must not take long. What
 * others do on the machine counts as little as what the first runs have to compile.
 */
export async function processorMilliseconds(work: (run: number) => unknown): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    const before = process.cpuUsage()
    await work(run)
    const { user, system } = process.cpuUsage(before)
    times.push((user + system) / 1000)
  }
  return Math.min(...times)
}
