import type { TerminalEvent } from '../../../contracts/events.ts'
import { ISSUANCE_OUTCOMES, LANE_METRICS, REDEMPTION_OUTCOMES, type Dropped } from '../../../contracts/lane-metrics.ts'
import type { Answer, Exchange } from '../../central/transport.ts'
import type { Transact, Tx } from '../../db/transact.ts'
import type { Journal } from '../../outbox/journal.ts'
import type { Operation } from '../../outbox/operation.ts'
import type { DomainEvents } from '../domain-events.ts'
import { createMetrics } from '../../../delivery/metrics-registry.ts'

/** What an answer is to whoever counts calls. */
function outcomeOf(answer: Answer): 'answer' | 'error' | 'silent' | 'unsent' {
  switch (answer.kind) {
    case 'answer':
      return answer.status >= 500 ? 'error' : 'answer'
    case 'unknown':
      return 'silent'
    case 'never-sent':
    case 'no-token':
      return 'unsent'
  }
}

const member = <Name extends string>(names: readonly Name[], text: string): Name | undefined =>
  names.find((name) => name === text)

/** What a store does, and where it is told of. */
export interface CountedEvents {
  readonly domain: DomainEvents
  readonly journal: Pick<Journal, 'events'>
  readonly transact: Pick<Transact, 'afterCommit'>
}

export type LaneCounts = ReturnType<typeof createLaneCounts>

/** The metrics of a lane as they are counted while it sells. What is rolled back is never counted. */
export function createLaneCounts() {
  const metrics = createMetrics(LANE_METRICS)

  function onMoved({ kind, state }: Operation): void {
    const redeemed = kind === 'redemption' ? member(REDEMPTION_OUTCOMES, state) : undefined
    const issued = kind === 'issuance' ? member(ISSUANCE_OUTCOMES, state) : undefined
    if (redeemed !== undefined) metrics.add('redemptions', { outcome: redeemed })
    if (issued !== undefined) metrics.add('issuances', { outcome: issued })
  }

  return {
    metrics,

    dropped(what: Dropped, count = 1): void {
      metrics.add('dropped', { what }, count)
    },

    onCommit(seconds: number): void {
      metrics.observe('commits', {}, seconds)
    },

    /** The same exchange; each of its sends is counted. */
    around:
      (exchange: Exchange): Exchange =>
      async (call, token) => {
        const answer = await exchange(call, token)
        const { service } = call
        metrics.add('calls', { service, outcome: outcomeOf(answer) })
        if (answer.kind === 'answer' && (service === 'cash' || service === 'issuance'))
          metrics.observe('latency', { service }, answer.latencyMs / 1_000)
        return answer
      },

    /** News of the lane: of a print job what became of it. */
    onEvent(event: TerminalEvent): void {
      if (event.type === 'print-job' && event.state !== 'queued') metrics.add('prints', { state: event.state })
    },

    watch({ domain, journal, transact }: CountedEvents): void {
      const count = (work: () => void): void => {
        transact.afterCommit(work)
      }
      domain.on('sale.completed', (_tx: Tx, { view }) => {
        count(() => {
          metrics.add('transactions', { kind: 'sale' })
          for (const { kind, amountCents } of view.tenders) if (amountCents > 0) metrics.add('tenders', { kind })
        })
      })
      domain.on('sale.cancelled', () => {
        count(() => metrics.add('transactions', { kind: 'sale-cancelled' }))
      })
      domain.on('return.committed', () => {
        count(() => metrics.add('transactions', { kind: 'return' }))
      })
      journal.events.on('operation.moved', (_tx: Tx, operation) => {
        count(() => onMoved(operation))
      })
    },
  }
}
