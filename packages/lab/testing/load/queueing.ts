import type { CollectorNumber } from '../../../../contracts/core/ids.ts'
import { openEngine } from './engine.ts'
import { openModelLine } from './line.ts'
import { since } from './meter.ts'

export interface Queued {
  readonly issuances: number
  /** Time from the first commit to the last, without the response time of the simulated loyalty service. */
  readonly ms: number
  readonly commits: number
  readonly syncMs: number
}

/**
 * Queues one issuance per collector, each in its own commit (in the terminal it shares the commit that ends the sale),
 * then sends them to a loyalty service that responds at once and records the outcomes. Sends and responses of the same
 * event-loop cycle share a commit, as in the terminal.
 */
export async function openQueueing(folder: string, collectors: readonly CollectorNumber[]) {
  let confirmed = 0
  let notify = (): void => undefined
  const engine = await openEngine(folder, openModelLine(collectors), {
    onMoved({ state }) {
      if (state === 'sent') return
      if (state !== 'confirmed') throw new Error(`an issuance is ${state}`)
      confirmed += 1
      notify()
    },
  })
  const { transact, issuances, seal, meter } = engine

  return {
    async round(): Promise<Queued> {
      const waiting = transact((tx) =>
        collectors.map((collector) => {
          const saleId = engine.openSale()
          engine.complete(tx, saleId)
          return { saleId, collectorHash: seal.keyedHash(collector), request: engine.issueRequest(saleId, collector) }
        }),
      )
      confirmed = 0
      const done = new Promise<void>((resolve) => {
        notify = () => {
          if (confirmed === collectors.length) resolve()
        }
      })
      const before = meter.read()
      const from = performance.now()
      for (const { saleId, collectorHash, request } of waiting) {
        transact((tx) =>
          issuances.enqueue(tx, {
            type: 'issue',
            saleId,
            collectorHash,
            request,
            traceId: saleId,
            dateTime: request.checkoutDateTime,
            expectedMiles: null,
          }),
        )
      }
      await done
      const ms = performance.now() - from
      const { commits, syncMs, answerMs } = since(before, meter.read())
      return { issuances: collectors.length, ms: ms - answerMs, commits, syncMs }
    },
    close: engine.close,
  }
}
