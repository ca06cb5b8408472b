import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Measured } from '../benchmark.ts'
import { summarise } from '../statistics.ts'
import { collectorsOf, type JournalRun } from './options.ts'
import { openPeer } from './peer.ts'
import { openSubject } from './subject.ts'

/** One result line that `packages/lab/testing/load/queueing.ts` prints. */
interface Queued {
  readonly issuances: number
  readonly ms: number
  readonly commits: number
  readonly syncMs: number
}

const WARM_UP_ROUNDS = 3

const ISSUE = {
  basketPostTaxAmount: 41.97,
  basketPreTaxAmount: 41.97,
  checkoutDateTime: '2026-11-20T10:00:00.000-05:00',
  checkoutTransactionId: 'N101LOAD00000001',
  collectorNumber: '89000000000',
  deviceId: 'N101-01',
  locationCode: 'N101',
  sponsorCode: 'NRTH',
  tender: ['CASH'],
  items: [3.99, 12.99, 24.99].map((price, index) => ({
    id: `LOAD-${index}`,
    name: `Item ${index}`,
    number: index + 1,
    quantity: 1,
    baseAmount: price,
    finalAmount: price,
    departmentId: 'D1',
  })),
}

/**
 * Compares the terminal’s queue with plainjob: jobs are added with a commit each, then taken and completed one by one.
 */
export async function measureQueueing({ settings, folder, signal, log, atEnd }: JournalRun): Promise<Measured> {
  const { issuances } = settings
  const rounds = settings['queue-rounds']
  log(`${rounds} rounds of ${issuances} issuances, each with as many jobs of plainjob`)
  const peer = openPeer(folder)
  atEnd(async () => {
    peer.close()
  })
  const data = path.join(folder, 'queueing')
  mkdirSync(data)
  const subject = await openSubject<Queued>(data, { task: 'queueing', collectors: collectorsOf(issuances) })
  atEnd(() => subject.stop())
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    await subject.round()
    peer.round(issuances, ISSUE)
  }

  const ours: number[] = []
  const theirs: number[] = []
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    signal.throwIfAborted()
    // The order of the two queues alternates, so that a disk that becomes slower favours neither.
    const first = round % 2 === 0 ? peer.round(issuances, ISSUE) : null
    const { ms } = await subject.round()
    const other = first ?? peer.round(issuances, ISSUE)
    ours.push(ms / issuances)
    theirs.push(other / issuances)
    times.push(other / ms)
  }
  await subject.stop()

  const ratio = summarise(times)
  const hundredths = (value: number): number => Math.round(value * 100) / 100
  return {
    measurements: [
      { name: 'issuance queued, taken and settled', role: 'result', samples: ours },
      { name: 'plainjob: added, taken and done', role: 'peer', samples: theirs },
    ],
    targets: [
      {
        name: 'queueing, plainjob’s time relative to ours',
        unit: 'times',
        bound: 'above',
        limit: 1,
        value: hundredths(ratio.p50),
        low: hundredths(ratio.min),
        high: hundredths(ratio.max),
      },
    ],
    facts: {
      'issuances queued a second': Math.round(1_000 / summarise(ours).p50),
      'plainjob jobs a second': Math.round(1_000 / summarise(theirs).p50),
    },
    notes: [
      'The queue: each issuance is queued with its own commit (the terminal commits it with the end of ' +
        'its sale), taken, sent to a loyalty service in the same process whose own time is subtracted, and ' +
        'settled; up to eight collectors at once, whose sends and responses share commits if they coincide. ' +
        'plainjob can only take and mark one job after the other. It runs with WAL and FULL, ' +
        'with the same request as data, but without chain, seals and an order per collector. A sample is a ' +
        'round divided by its issuances.',
    ],
  }
}
