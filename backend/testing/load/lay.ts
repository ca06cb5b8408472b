import type { CollectorNumber } from '../../../contracts/ids.ts'
import { cents } from '../../../contracts/money.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import { encode } from '../../central/cash.ts'
import { systemChance, systemClock } from '../../clock.ts'
import { openEngine } from './engine.ts'
import { silentLine } from './line.ts'

/** How many operations of each open state. */
export interface OpenWork {
  readonly intent: number
  readonly retry: number
  readonly reversing: number
  readonly queued: number
  readonly sent: number
}

const HOUR_MS = 3_600_000
const A_COMMIT = 1_000

/**
 * Fills a data folder with work that a crash left open an hour ago: too long for the retry of an intent. The journal
 * makes every row itself, so that chain, seals and mark are the real ones; it only does not wait for the disk
 * meanwhile.
 */
export async function layOpenWork(
  folder: string,
  collectors: readonly CollectorNumber[],
  work: OpenWork,
): Promise<void> {
  const clock = { ...systemClock, now: () => Date.now() - HOUR_MS }
  const engine = await openEngine(folder, silentLine, { clock })
  const { db, transact, journal, redemptions, issuances, seal, sales, cash } = engine
  const hashes = collectors.map((collector) => seal.keyedHash(collector))
  db.pragma('synchronous = OFF')

  function redeem(at: number): string {
    const collector = collectors[at % collectors.length]
    const collectorHash = hashes[at % hashes.length]
    if (collector === undefined || collectorHash === undefined) throw new RangeError('there are no collectors')
    const saleId = engine.openSale()
    sales.close(saleId, 'completed', clock.now(), '[]')
    const request = cash.redeemRequest(
      { collectorNumber: collector, entryMode: 'SWIPE' },
      cents(4197),
      cents(1000),
      clock.now(),
      'en-CA',
    )
    return journal.open({
      kind: 'redemption',
      intention: 'redeem',
      saleId,
      collectorHash,
      state: 'intent',
      sending: true,
      facts: { units: 1, amountCents: 1000, miles: 95, outcome: 'sending' },
      call: {
        purpose: 'redeem',
        path: CASH_PATHS.redeem,
        idempotencyKey: systemChance.uuid(),
        traceId: request.traceId,
        dateTime: request.dateTime,
        request: encode(request),
      },
    }).id
  }
  function issue(at: number): string {
    const collector = collectors[at % collectors.length]
    const collectorHash = hashes[at % hashes.length]
    if (collector === undefined || collectorHash === undefined) throw new RangeError('there are no collectors')
    const saleId = engine.openSale()
    sales.close(saleId, 'completed', clock.now(), '[]')
    const request = engine.issueRequest(saleId, collector)
    return issuances.enqueue({
      intention: 'issue',
      saleId,
      collectorHash,
      request,
      traceId: saleId,
      dateTime: request.checkoutDateTime,
      expectedMiles: null,
    }).id
  }
  const kinds: Readonly<Record<keyof OpenWork, (at: number) => unknown>> = {
    intent: redeem,
    retry: (at) => journal.move(redeem(at), 'retry', { sending: 'redeem' }),
    reversing: (at) =>
      redemptions.recordReversal(
        journal.move(redeem(at), 'approved', {
          facts: {
            confirmationNumber: `C${at}`,
            transDateTime: new Date(clock.now()).toISOString(),
            approvedOnAttempt: 1,
          },
        }),
      ),
    queued: issue,
    sent: (at) => journal.move(issue(at), 'sent', { sending: 'issue' }),
  }

  try {
    for (const [kind, lay] of Object.entries(kinds)) {
      const count = work[kind as keyof OpenWork]
      for (let done = 0; done < count; done += A_COMMIT) {
        transact(() => {
          for (let at = done; at < Math.min(count, done + A_COMMIT); at += 1) lay(at)
        })
      }
    }
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    engine.close()
  }
}
