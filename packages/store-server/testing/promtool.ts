import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

export const NO_PROMTOOL = 'promtool is not installed (Debian: prometheus)'

const run = promisify(execFile)

/** Whether the tool of Prometheus is on this machine. */
export const hasPromtool = (): Promise<boolean> =>
  run('promtool', ['--version']).then(
    () => true,
    () => false,
  )

/** Has Prometheus’ own reader of OpenMetrics take a text in. Rejects with its words where it cannot. */
export async function importByPrometheus(text: string, at: Date): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-promtool-'))
  try {
    const file = path.join(folder, 'metrics')
    // It takes in samples of the past, and they have their time with them.
    const timed = text.replaceAll(/^([^#\n].*)$/gm, `$1 ${at.getTime() / 1_000}`)
    writeFileSync(file, timed)
    await run('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', file, path.join(folder, 'data')])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** What the tool says of a file: `check rules FILE`, `test rules FILE`. Rejects with its words. */
export const promtool = async (...args: string[]): Promise<string> => (await run('promtool', args)).stdout
