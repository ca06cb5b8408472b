import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { ConnectionPeriod } from '../../contracts/operations/connection.ts'
import type { Benchmark, BenchmarkRun, Measured, Target } from '../benchmark.ts'

const OPTIONS = {
  samples: { default: 200, about: 'reads of each period, and checks, that count' },
} as const

const PROGRAM = 'packages/lab/testing/load/connection-year.ts'
const Samples = z.array(z.number()).min(1)
const Answer = z.object({
  bytes: z.int(),
  rows: z.record(z.string(), z.int()),
  periods: z.record(ConnectionPeriod, Samples),
  checks: Samples,
  commits: Samples,
})
const LIMIT_MS = 100

export const connection: Benchmark<typeof OPTIONS> = {
  name: 'connection',
  about: 'a year of echo checks: its size, the page for each period, and the cost of one more check',
  options: OPTIONS,
  run: measureConnection,
}

async function measureConnection({ settings, signal, log }: BenchmarkRun<typeof OPTIONS>): Promise<Measured> {
  log('inserting a year of checks, one a minute')
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, String(settings.samples)], {
    signal,
    maxBuffer: 64 * 1024 * 1024,
  })
  const { bytes, rows, periods, checks, commits } = Answer.parse(JSON.parse(stdout))
  return {
    measurements: [
      ...ConnectionPeriod.options.map(
        (period) => ({ name: `history of a ${period}`, role: 'result', samples: periods[period] }) as const,
      ),
      { name: 'one more check, with its hour and its removed rows', role: 'result', samples: checks },
      { name: 'commit of one row', role: 'ceiling', samples: commits },
    ],
    targets: [pageOverYear(periods.year)],
    facts: { bytes, ...rows },
    notes: [
      'A history is read, aggregated, validated and written as JSON; HTTP and the screen are not included.',
      'A check is one synced commit, made once a minute, independent of the sales.',
    ],
  }
}

function pageOverYear(samples: readonly number[]): Target {
  const sorted = samples.toSorted((one, other) => one - other)
  const value = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? Infinity
  return {
    name: 'history of a year, p95',
    unit: 'ms',
    bound: 'below',
    limit: LIMIT_MS,
    value,
    low: sorted.at(-1) ?? value,
    high: sorted[0] ?? value,
  }
}
