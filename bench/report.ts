import type { Benchmark, Measured, Measurement, Target } from './benchmark.ts'
import type { Machine, Revision } from './machine.ts'
import { summarise, type Summary } from './statistics.ts'

/** A benchmark run as `--json` prints it and the history file stores it. Times are milliseconds with three decimals. */
export interface Report {
  readonly benchmark: string
  readonly at: string
  readonly revision: Revision
  readonly machine: Machine
  readonly settings: Readonly<Record<string, number | string>>
  readonly measurements: readonly (Summary & Pick<Measurement, 'name' | 'role'> & { readonly unit: 'ms' })[]
  readonly targets: readonly (Target & { readonly verdict: 'pass' | 'short' })[]
  readonly facts: Measured['facts']
  readonly notes: Measured['notes']
}

export function reportOf(
  benchmark: Pick<Benchmark, 'name'>,
  run: { at: Date; revision: Revision; machine: Machine; settings: Report['settings']; measured: Measured },
): Report {
  const { at, revision, machine, settings, measured } = run
  return {
    benchmark: benchmark.name,
    at: at.toISOString(),
    revision,
    machine,
    settings,
    measurements: measured.measurements.map(({ name, role, samples }) => ({
      name,
      role,
      unit: 'ms' as const,
      ...rounded(summarise(samples)),
    })),
    targets: (measured.targets ?? []).map((target) => ({
      ...target,
      verdict: isReached(target) ? ('pass' as const) : ('short' as const),
    })),
    facts: measured.facts,
    notes: measured.notes,
  }
}

function isReached({ bound, limit, value }: Target): boolean {
  switch (bound) {
    case 'at least':
      return value >= limit
    case 'above':
      return value > limit
    case 'below':
      return value < limit
    case 'at most':
      return value <= limit
  }
}

function rounded(summary: Summary): Summary {
  const three = (value: number): number => Math.round(value * 1_000) / 1_000
  const { samples, min, p50, p95, p99, max, mean } = summary
  return {
    samples,
    min: three(min),
    p50: three(p50),
    p95: three(p95),
    p99: three(p99),
    max: three(max),
    mean: three(mean),
  }
}

const INDENT = { result: '', stage: '  ', ceiling: '  ', peer: '  ' } as const
const COLUMNS = ['p50', 'p95', 'p99', 'max'] as const

const targetLine = ({ name, unit, bound, limit, value, low, high, verdict }: Report['targets'][number]): string =>
  `${verdict.padEnd(6)}${name}: ${value.toLocaleString('en-CA')} ${unit}, wanted ${bound} ` +
  `${limit.toLocaleString('en-CA')} (rounds ${low.toLocaleString('en-CA')} to ${high.toLocaleString('en-CA')})`

export function tableOf(report: Report, about: string): string {
  const { machine, revision } = report
  const width = Math.max(...report.measurements.map(({ name, role }) => INDENT[role].length + name.length)) + 2
  const row = (name: string, cells: readonly string[]): string =>
    name.padEnd(width) + cells.map((cell) => cell.padStart(9)).join('')
  const lines = (roles: readonly Measurement['role'][]): string[] =>
    report.measurements
      .filter(({ role }) => roles.includes(role))
      .map((one) =>
        row(INDENT[one.role] + one.name, [String(one.samples), ...COLUMNS.map((column) => one[column].toFixed(2))]),
      )
  const compared = lines(['ceiling', 'peer'])
  return [
    `${report.benchmark}: ${about}`,
    '',
    row('', ['samples', ...COLUMNS.map((column) => `${column} ms`)]),
    ...lines(['result', 'stage']),
    ...(compared.length > 0 ? ['for comparison, in the same run', ...compared] : []),
    ...(report.targets.length > 0 ? ['', 'targets', ...report.targets.map(targetLine)] : []),
    '',
    ...Object.entries({ ...report.settings, ...report.facts }).map(
      ([name, value]) => `${name}: ${typeof value === 'number' ? value.toLocaleString('en-CA') : value}`,
    ),
    `machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryMb.toLocaleString('en-CA')} MB, ` +
      `${machine.os}, Node ${machine.node}; load before the run ${machine.loadBefore}`,
    `revision: ${revision.commit ?? 'none'}${revision.changed ? ', with uncommitted changes' : ''}`,
    ...report.notes.map((note) => `note: ${note}`),
  ].join('\n')
}
