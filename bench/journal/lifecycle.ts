import { mkdirSync } from 'node:fs'
import path from 'node:path'
import type { Measured } from '../benchmark.ts'
import { percentile, summarise } from '../statistics.ts'
import { openBareCommits } from './bare-commits.ts'
import { collectorsOf, type JournalRun } from './options.ts'
import { openSubject } from './subject.ts'

/** One result line that `packages/lab/testing/load/lifecycle.ts` prints. */
interface TimedSale {
  readonly ms: number
  readonly commits: number
  readonly syncMs: number
  readonly addedMs: number
}
/** One result line that `packages/lab/testing/load/redeeming.ts` prints. */
interface Redeemed {
  readonly redemptions: number
  readonly ms: number
  readonly commits: number
  readonly syncMs: number
}

/** Enough collectors that each stays below the daily redemption limit. */
const COLLECTORS = 400
/** Redemptions before the measurement begins: by then the code is compiled and the write-ahead log was reused once. */
const WARM_UP = 120
/** Bare commits before the measurement begins: SQLite reuses the write-ahead log after about five hundred commits. */
const WARM_UP_COMMITS = 600
/** Number of segments into which a run is divided, to show the spread of the tail latency. */
const SEGMENTS = 4

/**
 * Measures a redemption from its intent to its approval, and a sale from the choice of miles to its completion,
 * relative to bare commits on the same disk.
 */
export async function measureLifecycle({ settings, folder, signal, log, atEnd }: JournalRun): Promise<Measured> {
  const { rounds, customers, redemptions } = settings
  log(`${rounds} rounds of ${redemptions} redemptions and of ${customers} sales, with bare commits around each`)
  const bare = openBareCommits(folder)
  atEnd(async () => {
    bare.close()
  })
  const data = path.join(folder, 'lifecycle')
  mkdirSync(data)
  const subject = await openSubject<TimedSale[]>(data, {
    task: 'lifecycle',
    collectors: collectorsOf(COLLECTORS),
    customers,
  })
  atEnd(() => subject.stop())
  const engineData = path.join(folder, 'redeeming')
  mkdirSync(engineData)
  const engine = await openSubject<Redeemed>(engineData, { task: 'redeeming', collectors: collectorsOf(redemptions) })
  atEnd(() => engine.stop())
  const minimumData = path.join(folder, 'least')
  mkdirSync(minimumData)
  const minimum = await openSubject<{ readonly ms: number }>(minimumData, { task: 'least', redemptions })
  atEnd(() => minimum.stop())
  for (let done = 0; done < WARM_UP; done += customers) {
    signal.throwIfAborted()
    await subject.round()
  }
  for (let done = 0; done < WARM_UP; done += redemptions) {
    await engine.round()
    await minimum.round()
  }
  bare.round(WARM_UP_COMMITS)

  const timed: TimedSale[] = []
  const redeemed: Redeemed[] = []
  const shares: number[] = []
  const saleShares: number[] = []
  const minimumShares: number[] = []
  const bareMs: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    signal.throwIfAborted()
    const before = bare.round(redemptions)
    const alone = await engine.round()
    const { ms: minimumMs } = await minimum.round()
    const these = await subject.round()
    const bareCommit = (before + bare.round(redemptions)) / (2 * redemptions)
    timed.push(...these)
    redeemed.push(alone)
    bareMs.push(bareCommit)
    // The rate of commits during the redemptions, as a percentage of the rate of bare commits.
    shares.push((alone.commits / alone.ms) * bareCommit * 100)
    minimumShares.push(((2 * redemptions) / minimumMs) * bareCommit * 100)
    saleShares.push((sum(these, 'commits') / sum(these, 'ms')) * bareCommit * 100)
  }
  await subject.stop()
  await engine.stop()
  await minimum.stop()

  const share = summarise(shares)
  const added = timed.map(({ addedMs }) => addedMs)
  const p99 = (samples: readonly number[]): number =>
    percentile(
      samples.toSorted((a, b) => a - b),
      99,
    )
  const size = Math.ceil(added.length / SEGMENTS)
  const tails = Array.from({ length: SEGMENTS }, (_, index) => added.slice(index * size, (index + 1) * size))
    .filter(({ length }) => length > 0)
    .map(p99)
  const commits = sum(timed, 'commits') / timed.length
  const perRedemption = redeemed.map(({ ms, redemptions }) => ms / redemptions)
  // If a bare commit takes at least this many milliseconds, a redemption spends at most a fifth of its time on work
  // other than its two commits, so that redemptions reach 80 % of the disk’s rate.
  const enough = 2 * (summarise(perRedemption).p50 - 2 * summarise(bareMs).p50)
  return {
    measurements: [
      { name: 'redemption from intent to approval', role: 'result', samples: perRedemption },
      {
        name: 'its commits’ wait for the disk',
        role: 'stage',
        samples: redeemed.map(({ syncMs, redemptions }) => syncMs / redemptions),
      },
      { name: 'redemption from choice to completed sale', role: 'result', samples: timed.map(({ ms }) => ms) },
      { name: 'its wait for commits', role: 'stage', samples: timed.map(({ syncMs }) => syncMs) },
      { name: 'its remaining time', role: 'stage', samples: timed.map(({ ms, syncMs }) => ms - syncMs) },
      { name: 'redemption without its syncs', role: 'result', samples: added },
      { name: 'bare commit', role: 'ceiling', samples: bareMs },
    ],
    targets: [
      {
        name: 'redemptions relative to the disk’s rate',
        unit: '%',
        bound: 'at least',
        limit: 80,
        value: tenths(share.p50),
        low: tenths(share.min),
        high: tenths(share.max),
      },
      {
        name: 'redemption without its syncs, p99',
        unit: 'ms',
        bound: 'below',
        limit: 3,
        value: hundredths(p99(added)),
        low: hundredths(Math.min(...tails)),
        high: hundredths(Math.max(...tails)),
      },
    ],
    facts: {
      'minimum of two commits for a redemption, % of the disk’s rate': tenths(summarise(minimumShares).p50),
      'redemptions, % of the rate of that minimum': tenths((share.p50 / summarise(minimumShares).p50) * 100),
      'commits of a redemption': hundredths(sum(redeemed, 'commits') / sum(redeemed, 'redemptions')),
      'commits of a redemption and its sale': hundredths(commits),
      'a redemption and its sale, % of the disk’s rate': tenths(summarise(saleShares).p50),
      'calculated ms of a bare commit at which a redemption reaches 80 % of the disk’s rate': hundredths(enough),
      'redemptions a second': tenths(1_000 / summarise(timed.map(({ ms }) => ms)).p50),
      'bare commits a second': Math.round(1_000 / summarise(bareMs).p50),
    },
    notes: [
      'The durable part of a redemption is the journal’s work: the intent with its exact bytes, the ' +
        'send, the recorded approval; its rate is commits a second relative to bare commits of one row ' +
        'in the same round, median of the rounds. The minimum is one table without an index: sealed ' +
        'bytes, chain and mark in two commits of a row each, an upper limit for any journal on this ' +
        'disk. In addition, the time from the choice of the units to the completed sale, with its tender, its ' +
        'queued ISSUE and its print job, in the checkout as the terminal composes it. The services are in the same ' +
        'process and their own time is subtracted from both.',
      'Without syncs: from the choice to the outcome, less the loyalty service’s own time and ' +
        'the time in COMMIT; includes the mark outside the database, the chain, the seals and the screens’ ' +
        'in it.',
    ],
  }
}

const sum = <Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number =>
  rows.reduce((total, row) => total + row[key], 0)
const tenths = (value: number): number => Math.round(value * 10) / 10
const hundredths = (value: number): number => Math.round(value * 100) / 100
