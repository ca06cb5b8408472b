import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Benchmark, BenchmarkRun, Measured } from '../benchmark.ts'
import { measureDraining } from './draining.ts'
import { requireDisk } from './file-system.ts'
import { measureLifecycle } from './lifecycle.ts'
import { OPTIONS, type JournalRun } from './options.ts'
import { measureQueueing } from './queueing.ts'
import { measureRecovery } from './recovery.ts'

export const journal: Benchmark<typeof OPTIONS> = {
  name: 'journal',
  about:
    'the durable lifecycle of a redemption, the queue, recovery and draining, compared with bare commits on its disk',
  options: OPTIONS,
  run: measureJournal,
}

async function measureJournal(run: BenchmarkRun<typeof OPTIONS>): Promise<Measured> {
  const { settings } = run
  const folder =
    settings.folder === '' ? run.folder : await mkdtemp(path.join(path.resolve(settings.folder), 'milepost-bench-'))
  if (folder !== run.folder) run.atEnd(() => rm(folder, { recursive: true, force: true }))
  const fileSystem = requireDisk(folder)
  const here: JournalRun = { ...run, folder }
  const sections: Measured[] = []
  if (settings.rounds > 0) sections.push(await measureLifecycle(here))
  if (settings['queue-rounds'] > 0) sections.push(await measureQueueing(here))
  if (settings.restarts > 0) sections.push(await measureRecovery(here))
  if (settings.drain > 0) sections.push(await measureDraining(here))
  return {
    measurements: sections.flatMap(({ measurements }) => measurements),
    targets: sections.flatMap(({ targets = [] }) => targets),
    facts: { 'file system': `${fileSystem}, ${folder}`, ...Object.assign({}, ...sections.map(({ facts }) => facts)) },
    notes: sections.flatMap(({ notes }) => notes),
  }
}
