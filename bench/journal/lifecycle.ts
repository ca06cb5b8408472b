import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Measured } from '../benchmark.ts'
import { percentile, summarise } from '../statistics.ts'
import { openBareCommits } from './bare-commits.ts'
import { collectorsOf, type JournalRun } from './options.ts'
import { openSubject } from './subject.ts'

/** As `packages/lab/testing/load/lifecycle.ts` tells it. */
interface Lived {
  readonly ms: number
  readonly commits: number
  readonly syncMs: number
  readonly addedMs: number
}
/** As `packages/lab/testing/load/redeeming.ts` tells it. */
interface Redeemed {
  readonly redemptions: number
  readonly ms: number
  readonly commits: number
  readonly syncMs: number
}

/** Enough that nobody meets the daily limit. */
const COLLECTORS = 400
/** Redemptions before those that count: the engine's code is compiled and the log has come round once. */
const WARM_UP = 120
/** The log of one row a commit comes round after about five hundred. */
const WARM_UP_COMMITS = 600
/** The tail of the added latency is told for this many parts of the run. */
const PARTS = 4

/**
 * A redemption from its intent to its approval, and from the choice to the completed sale, beside the bare commits of
 * the same disk.
 */
export async function measureLifecycle({ settings, folder, signal, log, atEnd }: JournalRun): Promise<Measured> {
  const { rounds, customers, redemptions } = settings
  log(`${rounds} rounds of ${redemptions} redemptions and of ${customers} sales, and bare commits around each`)
  const bare = openBareCommits(folder)
  atEnd(async () => {
    bare.close()
  })
  const data = path.join(folder, 'lifecycle')
  mkdirSync(data)
  const subject = await openSubject<Lived[]>(data, {
    task: 'lifecycle',
    collectors: collectorsOf(COLLECTORS),
    customers,
  })
  atEnd(() => subject.stop())
  const engineData = path.join(folder, 'redeeming')
  mkdirSync(engineData)
  const engine = await openSubject<Redeemed>(engineData, { task: 'redeeming', collectors: collectorsOf(redemptions) })
  atEnd(() => engine.stop())
  const leastData = path.join(folder, 'least')
  mkdirSync(leastData)
  const least = await openSubject<{ readonly ms: number }>(leastData, { task: 'least', redemptions })
  atEnd(() => least.stop())
  for (let done = 0; done < WARM_UP; done += customers) {
    signal.throwIfAborted()
    await subject.round()
  }
  for (let done = 0; done < WARM_UP; done += redemptions) {
    await engine.round()
    await least.round()
  }
  bare.round(WARM_UP_COMMITS)

  const lived: Lived[] = []
  const redeemed: Redeemed[] = []
  const shares: number[] = []
  const saleShares: number[] = []
  const leastShares: number[] = []
  const bareMs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    signal.throwIfAborted()
    const before = bare.round(redemptions)
    const alone = await engine.round()
    const { ms: leastMs } = await least.round()
    const these = await subject.round()
    const bareCommit = (before + bare.round(redemptions)) / (2 * redemptions)
    lived.push(...these)
    redeemed.push(alone)
    bareMs.push(bareCommit)
    // Commits a second within the lifecycle by bare commits a second: what is left of the disk's pace.
    shares.push((alone.commits / alone.ms) * bareCommit * 100)
    leastShares.push(((2 * redemptions) / leastMs) * bareCommit * 100)
    saleShares.push((sum(these, 'commits') / sum(these, 'ms')) * bareCommit * 100)
  }
  await subject.stop()
  await engine.stop()
  await least.stop()

  const share = summarise(shares)
  const added = lived.map(({ addedMs }) => addedMs)
  const p99 = (samples: readonly number[]): number =>
    percentile(
      samples.toSorted((a, b) => a - b),
      99,
    )
  const part = Math.ceil(added.length / PARTS)
  const tails = Array.from({ length: PARTS }, (_, index) => added.slice(index * part, (index + 1) * part))
    .filter(({ length }) => length > 0)
    .map(p99)
  const commits = sum(lived, 'commits') / lived.length
  const perRedemption = redeemed.map(({ ms, redemptions }) => ms / redemptions)
  // Above this, what a redemption takes beyond two bare commits is a fifth of the whole: the pace is 80 % of the
  // disk's.
  const enough = 2 * (summarise(perRedemption).p50 - 2 * summarise(bareMs).p50)
  return {
    measurements: [
      { name: 'redemption from intent to approval', role: 'result', samples: perRedemption },
      {
        name: 'its commits’ wait for the disk',
        role: 'stage',
        samples: redeemed.map(({ syncMs, redemptions }) => syncMs / redemptions),
      },
      { name: 'redemption from choice to completed sale', role: 'result', samples: lived.map(({ ms }) => ms) },
      { name: 'of which commits wait for the disk', role: 'stage', samples: lived.map(({ syncMs }) => syncMs) },
      { name: 'of which everything else', role: 'stage', samples: lived.map(({ ms, syncMs }) => ms - syncMs) },
      { name: 'added to a redemption beyond its syncs', role: 'result', samples: added },
      { name: 'bare commit', role: 'ceiling', samples: bareMs },
    ],
    targets: [
      {
        name: 'redemptions of the disk’s pace',
        unit: '%',
        bound: 'at least',
        limit: 80,
        value: tenths(share.p50),
        low: tenths(share.min),
        high: tenths(share.max),
      },
      {
        name: 'added to a redemption beyond its syncs, p99',
        unit: 'ms',
        bound: 'below',
        limit: 3,
        value: hundredths(p99(added)),
        low: hundredths(Math.min(...tails)),
        high: hundredths(Math.max(...tails)),
      },
    ],
    facts: {
      'the least that two commits can write of it, % of the disk’s pace': tenths(summarise(leastShares).p50),
      'redemptions, % of the pace of that least': tenths((share.p50 / summarise(leastShares).p50) * 100),
      'commits of a redemption': hundredths(sum(redeemed, 'commits') / sum(redeemed, 'redemptions')),
      'commits of a redemption and its sale': hundredths(commits),
      'a redemption and its sale, % of the disk’s pace': tenths(summarise(saleShares).p50),
      'ms that a bare commit takes on a disk where a redemption reaches 80 % of its pace, reckoned': hundredths(enough),
      'redemptions a second': tenths(1_000 / summarise(lived.map(({ ms }) => ms)).p50),
      'bare commits a second': Math.round(1_000 / summarise(bareMs).p50),
    },
    notes: [
      'The durable life of a redemption is what the journal does of it: the intent with its exact bytes, the ' +
        'send, the recorded approval; its pace is commits a second within it by bare commits of one row a second ' +
        'of the same round, median of the rounds. The least beside it is one table without an index: sealed ' +
        'bytes, chain and mark in two commits of a row each; what it does not reach, no journal reaches on this ' +
        'disk. Beside it the whole from the choice of the units to the completed sale, with its tender, its ' +
        'queued ISSUE and its print job, in the checkout as the terminal composes it. The centre is in the same ' +
        'process and its own work is taken out of both.',
      'Added beyond the syncs: from the choice to the known outcome, less the loyalty service’s own work and ' +
        'less the time in COMMIT; the mark outside the database, the chain, the seals and the screens’ news are ' +
        'in it.',
    ],
  }
}

const sum = <Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number =>
  rows.reduce((total, row) => total + row[key], 0)
const tenths = (value: number): number => Math.round(value * 10) / 10
const hundredths = (value: number): number => Math.round(value * 100) / 100
