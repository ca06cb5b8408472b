import type { BenchmarkRun } from '../benchmark.ts'
import { collectorAt } from '../collectors.ts'

export const OPTIONS = {
  rounds: { default: 40, about: 'rounds of redemptions, each between two of bare commits' },
  redemptions: { default: 100, about: 'redemptions of a round, each of another collector' },
  customers: { default: 10, about: 'customers of a round, from the choice to the completed sale' },
  'queue-rounds': { default: 12, about: 'rounds of the queue, each with one of plainjob' },
  issuances: { default: 200, about: 'issuances of a round of the queue, each of another collector' },
  open: { default: 100_000, about: 'open entries at a restart' },
  restarts: { default: 3, about: 'restarts over copies of the same folder' },
  drain: { default: 10_000, about: 'queued issuances to drain' },
  'drain-collectors': { default: 256, about: 'collectors of the queued issuances' },
  folder: { default: '', about: 'folder on the disk to measure; empty: the folder for temporary files' },
} as const

export interface JournalRun extends Pick<BenchmarkRun<typeof OPTIONS>, 'settings' | 'signal' | 'log' | 'atEnd'> {
  readonly folder: string
}

export const collectorsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => collectorAt(index))
