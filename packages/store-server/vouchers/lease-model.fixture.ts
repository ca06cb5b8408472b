import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'

const MODEL = path.join(import.meta.dirname, '../../../docs/models/voucher-lease.pml')

export const spinMissing: string | null = ['spin', 'gcc'].every(
  (program) => spawnSync(program, ['--version']).error === undefined,
)
  ? null
  : 'spin or gcc is missing: npm run setup'

/**
 * Searches all states of a variant of the lease model, stored as `store` requires (Spin, "Optional Compile-Time
 * Directives"). Returns the number of errors and the report.
 */
export function search(
  defines: readonly string[],
  store: 'COLLAPSE' | 'HC4' = 'COLLAPSE',
): { errors: number; report: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-model-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  copyFileSync(MODEL, path.join(folder, 'model.pml'))
  const run = (program: string, ...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${program}: ${stdout}${stderr}`)
    return stdout
  }
  run('spin', '-DTICKS=2', ...defines.map((define) => `-D${define}`), '-a', 'model.pml')
  run('gcc', '-O2', '-DSAFETY', '-DNOREDUCE', `-D${store}`, '-DMEMLIM=6000', '-o', 'pan', 'pan.c')
  const report = run(path.join(folder, 'pan'), '-m1000000')
  return { errors: Number(/errors: (\d+)/.exec(report)?.[1]), report }
}

export const INCOMPLETE = /max search depth too small|memory limit|out of memory|interrupted/
