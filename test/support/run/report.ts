import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { JsonReporter } from 'vitest/node'

/** Writes the results as JSON without a line about it: the last line of a run is its result. */
// oxlint-disable-next-line import/no-default-export -- how vitest loads a reporter by its path
export default class QuietJsonReporter extends JsonReporter {
  override async writeReport(report: string): Promise<void> {
    const path = resolve(this.ctx.config.root, String(this.options.outputFile))
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, report)
  }
}
