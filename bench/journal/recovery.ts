import { cpSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Measured } from '../benchmark.ts'
import { summarise } from '../statistics.ts'
import { collectorsOf, type JournalRun } from './options.ts'
import { openSubject } from './subject.ts'

/** One result line that `packages/lab/testing/load/restart.ts` prints. */
interface Recovered {
  readonly openedMs: number
  readonly provedMs: number
  readonly ms: number
  readonly cpuMs: number
  readonly commits: number
  readonly open: number
  readonly escalated: number
}

const COLLECTORS = 5_000

export async function measureRecovery({ settings, folder, signal, log }: JournalRun): Promise<Measured> {
  const share = (percent: number): number => Math.round((settings.open * percent) / 100)
  const work = {
    intent: share(30),
    retry: share(5),
    reversing: share(5),
    sent: share(10),
    queued: settings.open - share(30) - share(5) - share(5) - share(10),
  }
  log(`preparing ${settings.open} open entries`)
  const prepared = path.join(folder, 'open')
  mkdirSync(prepared)
  const preparing = await openSubject<object>(prepared, { task: 'lay', collectors: collectorsOf(COLLECTORS), work })
  await preparing.round()
  await preparing.stop()

  const runs: Recovered[] = []
  for (let restart = 0; restart < settings.restarts; restart += 1) {
    signal.throwIfAborted()
    log(`restart ${restart + 1} of ${settings.restarts}`)
    const copy = path.join(folder, `restart-${restart}`)
    cpSync(prepared, copy, { recursive: true })
    const subject = await openSubject<Recovered>(copy, { task: 'recover' })
    const recovered = await subject.round()
    await subject.stop()
    rmSync(copy, { recursive: true })
    if (recovered.open !== settings.open || recovered.escalated !== work.intent + work.retry)
      throw new Error(`the restart found ${recovered.open} open entries and escalated ${recovered.escalated}`)
    runs.push(recovered)
  }
  const times = summarise(runs.map(({ ms }) => ms))
  const seconds = (ms: number): number => Math.round(ms) / 1_000
  return {
    measurements: [
      { name: `recovery of ${settings.open} open entries`, role: 'result', samples: runs.map(({ ms }) => ms) },
      { name: 'the database is open', role: 'stage', samples: runs.map(({ openedMs }) => openedMs) },
      { name: 'the end of the chain is verified', role: 'stage', samples: runs.map(({ provedMs }) => provedMs) },
      { name: 'processor time of the recovery', role: 'stage', samples: runs.map(({ cpuMs }) => cpuMs) },
    ],
    targets: [
      {
        name: `recovery of ${settings.open} open entries`,
        unit: 's',
        bound: 'below',
        limit: 5,
        value: seconds(times.p50),
        low: seconds(times.min),
        high: seconds(times.max),
      },
    ],
    facts: {
      ...Object.fromEntries(Object.entries(work).map(([state, count]) => [`open as ${state}`, count])),
      'commits of a recovery': runs.at(-1)?.commits ?? 0,
    },
    notes: [
      'Recovery runs from before the database is opened until every open entry is escalated or queued ' +
        'again; its calls get no response. The files were read before, so they are in the ' +
        'system’s cache.',
    ],
  }
}
