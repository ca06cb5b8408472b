import type { CollectorNumber } from '../../../../contracts/core/ids.ts'
import type { Tx } from '../../../../backend/core/db/transact.ts'
import { cents } from '../../../../contracts/core/money.ts'
import { CASH_PATHS } from '../../../../contracts/central/cash.ts'
import { encode } from '../../../../backend/loyalty/services/cash.ts'
import { systemRng, systemClock } from '../../../../backend/core/clock.ts'
import { openEngine } from './engine.ts'
import { silentLine } from './line.ts'

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
 * Fills a data folder with operations that a crash an hour ago left open, too old to retry an intent. The journal
 * writes the rows, so chain, seals and mark are valid; only the sync of each commit is off.
 */
export async function writeOpenWork(
  folder: string,
  collectors: readonly CollectorNumber[],
  work: OpenWork,
): Promise<void> {
  const clock = { ...systemClock, now: () => Date.now() - HOUR_MS }
  const engine = await openEngine(folder, silentLine, { clock })
  const { db, transact, journal, reversals, issuances, seal, cash } = engine
  engine.stop()
  const hashes = collectors.map((collector) => seal.keyedHash(collector))
  db.pragma('synchronous = OFF')

  function redeem(tx: Tx, at: number): string {
    const collector = collectors[at % collectors.length]
    const collectorHash = hashes[at % hashes.length]
    if (collector === undefined || collectorHash === undefined) throw new RangeError('there are no collectors')
    const saleId = engine.openSale()
    engine.complete(tx, saleId)
    const request = cash.redeemRequest(
      { collectorNumber: collector, entryMode: 'SWIPE' },
      cents(4197),
      cents(1000),
      clock.now(),
      'en-CA',
    )
    return journal.open(tx, {
      kind: 'redemption',
      type: 'redeem',
      saleId,
      collectorHash,
      state: 'intent',
      sending: true,
      facts: { units: 1, amountCents: 1000, miles: 95, outcome: 'sending' },
      call: {
        purpose: 'redeem',
        path: CASH_PATHS.redeem,
        idempotencyKey: systemRng.uuid(),
        traceId: request.traceId,
        dateTime: request.dateTime,
        request: encode(request),
      },
    }).id
  }
  function issue(tx: Tx, at: number): string {
    const collector = collectors[at % collectors.length]
    const collectorHash = hashes[at % hashes.length]
    if (collector === undefined || collectorHash === undefined) throw new RangeError('there are no collectors')
    const saleId = engine.openSale()
    engine.complete(tx, saleId)
    const request = engine.issueRequest(saleId, collector)
    return issuances.enqueue(tx, {
      type: 'issue',
      saleId,
      collectorHash,
      request,
      traceId: saleId,
      dateTime: request.checkoutDateTime,
      expectedMiles: null,
    }).id
  }
  const kinds: Readonly<Record<keyof OpenWork, (tx: Tx, at: number) => unknown>> = {
    intent: redeem,
    retry: (tx, at) => journal.move(tx, redeem(tx, at), 'retry', { sending: 'redeem' }),
    reversing: (tx, at) =>
      reversals.request(
        tx,
        journal.move(tx, redeem(tx, at), 'approved', {
          facts: {
            confirmationNumber: `C${at}`,
            transDateTime: new Date(clock.now()).toISOString(),
            approvedOnAttempt: 1,
          },
        }),
      ),
    queued: issue,
    sent: (tx, at) => journal.move(tx, issue(tx, at), 'sent', { sending: 'issue' }),
  }

  try {
    for (const [kind, write] of Object.entries(kinds)) {
      const count = work[kind as keyof OpenWork]
      for (let done = 0; done < count; done += A_COMMIT) {
        transact((tx) => {
          for (let at = done; at < Math.min(count, done + A_COMMIT); at += 1) write(tx, at)
        })
      }
    }
    db.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    engine.close()
  }
}
