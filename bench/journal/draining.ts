import { mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { start } from '../../packages/lab/rig/process.ts'
import type { Measured } from '../benchmark.ts'
import { insertCollectors } from '../collectors.ts'
import { memoryOf, slopeOf } from '../process-memory.ts'
import { collectorsOf, type JournalRun } from './options.ts'
import { openSubject } from './subject.ts'

/** One result line that `packages/lab/testing/load/restart.ts` prints. */
interface Drained {
  readonly ms: number
  readonly confirmed: number
  readonly heldMb: readonly number[]
}
interface Ready {
  readonly url: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

const READING_MS = 100

export async function measureDraining({ settings, folder, log, atEnd }: JournalRun): Promise<Measured> {
  const count = settings.drain
  const collectors = settings['drain-collectors']
  log(`preparing ${count} queued issuances of ${collectors} collectors`)
  const central = path.join(folder, 'central')
  const begin = () =>
    start<Ready>(['packages/central/main.ts', '--data', central, '--log-level', 'error', '--exit-with-stdin'])
  await (await begin()).stop()
  const file = readdirSync(central).find((name) => name.endsWith('.db'))
  if (file === undefined) throw new Error(`no database in ${central}`)
  insertCollectors(path.join(central, file), collectors)
  const services = await begin()
  atEnd(() => services.stop())

  const data = path.join(folder, 'drain')
  mkdirSync(data)
  const preparing = await openSubject<object>(data, {
    task: 'lay',
    collectors: collectorsOf(collectors),
    work: { intent: 0, retry: 0, reversing: 0, queued: count, sent: 0 },
  })
  await preparing.round()
  await preparing.stop()

  log(`draining ${count}`)
  const { url, tokenUrl, clientId, clientSecret } = services.ready
  const subject = await openSubject<Drained>(
    data,
    { task: 'drain', count, central: { url, tokenUrl, clientId, clientSecret } },
    ['--expose-gc'],
  )
  atEnd(() => subject.stop())
  const memory: number[] = []
  const reading = setInterval(() => {
    memory.push(memoryOf(subject.pid))
  }, READING_MS)
  const { ms, confirmed, heldMb } = await subject.round().finally(() => {
    clearInterval(reading)
  })
  await subject.stop()
  if (confirmed !== count) throw new Error(`${confirmed} of ${count} were confirmed`)

  // The first third of the memory readings is the warm-up of the JavaScript engine: caches fill and code is compiled.
  const afterWarmUp = heldMb.slice(Math.floor(heldMb.length / 3))
  const growth = slopeOf(afterWarmUp) * afterWarmUp.length
  const tenths = (value: number): number => Math.round(value * 10) / 10
  return {
    measurements: [{ name: 'issuance drained to the central services', role: 'result', samples: [ms / count] }],
    targets: [
      {
        name: `draining ${count} queued issuances`,
        unit: 'a second',
        bound: 'at least',
        limit: 300,
        value: Math.round((count * 1_000) / ms),
        low: Math.round((count * 1_000) / ms),
        high: Math.round((count * 1_000) / ms),
      },
      {
        name: 'growth of the terminal’s memory after garbage collection over the last two thirds of the draining',
        unit: 'MB',
        bound: 'below',
        limit: 10,
        value: tenths(growth),
        low: Math.min(...afterWarmUp),
        high: Math.max(...afterWarmUp),
      },
    ],
    facts: {
      'seconds of draining': tenths(ms / 1_000),
      'memory after garbage collection in MB, each twentieth': heldMb.join(', '),
      'resident memory in MB at the start, in the middle, at the end': [
        memory[0],
        memory[Math.floor(memory.length / 2)],
        memory.at(-1),
      ].join(', '),
    },
    notes: [
      'Draining: the whole checkout sends over HTTP to the reference services, a process of its own with ' +
        'durable data on the same disk and the same cores; from the start of the queue to the last ' +
        'confirmation on disk. Memory is read after twenty garbage collections during the run; ' +
        'growth is the slope of a straight line through the readings, shown with the lowest and the highest ' +
        'reading. Resident memory also contains garbage.',
    ],
  }
}
