import type { BenchmarkRun } from '../benchmark.ts'
import { collectorAt } from '../collectors.ts'

export const OPTIONS = {
  rounds: { default: 40, about: 'of redemptions, each between two of bare commits' },
  redemptions: { default: 100, about: 'in a round, each of another collector' },
  customers: { default: 10, about: 'who are served in a round, from the choice to the completed sale' },
  'queue-rounds': { default: 12, about: 'of the queue, each beside one of plainjob' },
  issuances: { default: 200, about: 'in a round of the queue, each of another collector' },
  open: { default: 100_000, about: 'open entries that a restart finds' },
  restarts: { default: 3, about: 'over copies of the same folder' },
  drain: { default: 10_000, about: 'queued issuances to drain' },
  'drain-collectors': { default: 256, about: 'to whom they belong' },
  folder: { default: '', about: 'on the disk to measure; empty: the folder for temporary files' },
} as const

/** `folder`: where everything of this run is written. */
export interface JournalRun extends Pick<BenchmarkRun<typeof OPTIONS>, 'settings' | 'signal' | 'log' | 'atEnd'> {
  readonly folder: string
}

export const collectorsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => collectorAt(index))
