import { appendFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Benchmark } from './benchmark.ts'
import { HELP, readCommand } from './command.ts'
import { describeMachine, describeRevision } from './machine.ts'
import { BENCHMARKS } from './registry.ts'
import { reportOf, tableOf, type Report } from './report.ts'

const root = path.join(import.meta.dirname, '..')
const HISTORY = 'bench/history.jsonl'

async function measure(benchmark: Benchmark, settings: Report['settings']): Promise<Report> {
  const stopped = new AbortController()
  const stop = (signal: NodeJS.Signals): void => {
    stopped.abort(new Error(`stopped by ${signal}`))
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const folder = await mkdtemp(path.join(tmpdir(), 'milepost-bench-'))
  const closers: (() => Promise<void>)[] = []
  const at = new Date()
  const machine = describeMachine()
  try {
    const measured = await benchmark.run({
      settings,
      folder,
      signal: stopped.signal,
      log: (line) => {
        process.stderr.write(`${line}\n`)
      },
      atEnd: (close) => {
        closers.push(close)
      },
    })
    return reportOf(benchmark, { at, revision: describeRevision(root, HISTORY), machine, settings, measured })
  } finally {
    for (const close of closers.reverse())
      await close().catch((error: unknown) => {
        process.stderr.write(`cleanup failed: ${String(error)}\n`)
      })
    await rm(folder, { recursive: true, force: true })
    process.off('SIGINT', stop).off('SIGTERM', stop)
  }
}

async function run(): Promise<void> {
  const command = readCommand(process.argv.slice(2), BENCHMARKS)
  if (command.kind === 'help') {
    process.stdout.write(HELP(BENCHMARKS))
    return
  }
  if (command.kind === 'wrong') {
    process.stderr.write(`${command.message}\n\n${HELP(BENCHMARKS)}`)
    process.exitCode = 2
    return
  }
  const { benchmark, settings, json, out, history } = command
  const outFile = out === null ? null : path.resolve(out)
  // Changes to the repository’s folder, because benchmarks start programs by their relative path.
  process.chdir(root)
  const report = await measure(benchmark, settings)
  const text = JSON.stringify(report)
  if (outFile !== null) writeFileSync(outFile, `${JSON.stringify(report, null, 2)}\n`)
  if (history) appendFileSync(HISTORY, `${text}\n`)
  process.stdout.write(`${json ? text : tableOf(report, benchmark.about)}\n`)
}

run().catch((error: unknown) => {
  process.stderr.write(
    `The measurement failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  process.exitCode = 1
})
