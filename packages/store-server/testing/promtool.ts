import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

export const NO_PROMTOOL = 'promtool is not installed (Debian: prometheus)'

const run = promisify(execFile)

export const hasPromtool = (): Promise<boolean> =>
  run('promtool', ['--version']).then(
    () => true,
    () => false,
  )

/** Imports a metrics text with Prometheus’ own OpenMetrics parser. Rejects with the parser's output. */
export async function importByPrometheus(text: string, at: Date): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-promtool-'))
  try {
    const file = path.join(folder, 'metrics')
    const timed = text.replaceAll(/^([^#\n].*)$/gm, `$1 ${at.getTime() / 1_000}`)
    writeFileSync(file, timed)
    await run('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', file, path.join(folder, 'data')])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const promtool = async (...args: string[]): Promise<string> => (await run('promtool', args)).stdout
