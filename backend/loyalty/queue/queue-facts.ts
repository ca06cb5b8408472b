import { z } from 'zod'
import type { IssuedMiles, QueueAction } from '../../../contracts/loyalty/queue.ts'
import { miles } from '../../../contracts/core/money.ts'
import { jsonOf } from '../../core/central/wire.ts'
import { type AnswerEntry, REVERSAL_UNANSWERED } from '../../core/outbox/operation-lists.ts'
import { EXPECTED_REFUSAL } from '../../core/outbox/states.ts'
import type { Journal } from '../../core/outbox/journal.ts'
import type { Operation } from '../../core/outbox/operation.ts'
import type { QueueRepository } from './queue.sql.ts'
import type { QueueSummary } from '../../../contracts/operations/diagnostics.ts'
import { centralOf } from '../../core/central/services.ts'
import { saleRowsOf } from '../../sales/sale/sales.sql.ts'
import { cardSlipsOf } from './queue-actions.ts'
import { type Ctx, perLane } from '../../core/context.ts'
import { onStart, runLater } from '../../core/lifecycle.ts'

/** A loose schema, so that a corrected copy keeps unknown fields of an entry. */
const Given = z.looseObject({ issuanceOfferCode: z.string(), offerId: z.string(), milesAmount: z.int() })

export const RequestFacts = z.looseObject({
  collectorNumber: z.string().optional(),
  cardEntryMode: z.string().optional(),
  locationCode: z.string().optional(),
  sponsorCode: z.string().optional(),
  checkoutTransactionId: z.string().optional(),
  clientTransactionId: z.string().optional(),
  issuances: z.array(Given).optional(),
})
export type RequestFacts = z.infer<typeof RequestFacts>

/** Decrypts the request of an operation's first call. Throws when that fails. */
export const requestOf = (journal: Pick<Journal, 'call'>, { id, type }: Operation): RequestFacts =>
  RequestFacts.parse(jsonOf(journal.call(id, type).request))

const ISSUES: ReadonlySet<string> = new Set(['issue', 'post', 'post-event'])
const ANSWERED: ReadonlySet<string> = new Set(['confirmed', 'accepted', 'rejected'])

const hasAnswered = (state: string): boolean => ANSWERED.has(state)

/**
 * Whether the answer to a call that takes miles back states their number, even without entries. A 202 without entries
 * does not (specification 3 §4.2 rule 2).
 */
const hasMilesTaken = (operation: Operation | undefined): boolean =>
  operation !== undefined && hasAnswered(operation.state) && operation.pendingMiles !== null

export const hasIssued = ({ type, state }: Operation): boolean => ISSUES.has(type) && hasAnswered(state)

const NOTHING = { miles: miles(0), pending: miles(0), rejected: miles(0), left: miles(0), codes: [] }

/**
 * Whether a REVERSE can never be sent because its POST has a final answer without the `transactionId` that REVERSE
 * requires (specification 3 §4.4).
 */
export function isNameless(
  { type, state, sends, afterOperationId }: Operation,
  journal: Pick<Journal, 'get'>,
): boolean {
  if (type !== 'post-reverse' || state !== 'escalated' || sends > 0 || afterOperationId === null) return false
  const before = journal.get(afterOperationId)
  return before !== undefined && hasAnswered(before.state) && before.transactionId === null
}

/** Returns the miles that a call issued, by offer, less those that were or may have been taken back. */
export function issuedMiles(
  operation: Operation,
  journal: Pick<Journal, 'call' | 'get' | 'entriesOf'>,
  repository: Pick<QueueRepository, 'takersOf'>,
): IssuedMiles[] {
  if (!hasIssued(operation)) return []
  const takers = repository.takersOf(operation.saleId, operation.id)
  const takenBy = (taker: Operation): readonly Taken[] =>
    journal.entriesOf(taker.id)?.filter(({ status }) => status !== 'REJECTED') ??
    requestOf(journal, taker).issuances ??
    []
  // The program calculates how many miles a RETURN takes. Until it has answered, assume all.
  const mayTakeAll = takers.some(
    ({ id, type, state }) =>
      type === 'return' && state !== 'dead' && journal.entriesOf(id) === null && !hasMilesTaken(journal.get(id)),
  )
  const taken = takers.flatMap(({ id, state }) => {
    // A call that was refused or cannot be sent took nothing. One of unknown outcome counts as if it took its miles, so
    // that no more miles are taken back than were issued.
    const taker = state === 'dead' ? undefined : journal.get(id)
    return taker && !isNameless(taker, journal) ? takenBy(taker) : []
  })
  const offers = new Map<string, IssuedMiles>()
  for (const entry of journal.entriesOf(operation.id) ?? []) {
    const code = entry.issuanceOfferCode ?? ''
    offers.set(
      code,
      withEntry(offers.get(code) ?? { ...NOTHING, issuanceOfferCode: code, offerId: entry.offerId ?? code }, entry),
    )
  }
  for (const { issuanceOfferCode, milesAmount } of taken) {
    const sum = offers.get(issuanceOfferCode ?? '')
    if (sum) offers.set(sum.issuanceOfferCode, { ...sum, left: miles(sum.left - Math.abs(milesAmount ?? 0)) })
  }
  // `left` is 0 for an entry without an offer code, because a call that takes miles back names an offer.
  return [...offers.values()].map((sum) => ({
    ...sum,
    left: miles(mayTakeAll || sum.issuanceOfferCode === '' ? 0 : Math.max(sum.left, 0)),
  }))
}

type Taken = Pick<AnswerEntry, 'issuanceOfferCode' | 'milesAmount'>

function withEntry(sum: IssuedMiles, { status, milesAmount, errorCodes }: AnswerEntry): IssuedMiles {
  const field = { CONFIRMED: 'miles', PENDING: 'pending', REJECTED: 'rejected' } as const
  const count = milesAmount ?? 0
  return {
    ...sum,
    [field[status]]: miles(sum[field[status]] + count),
    left: miles(status === 'REJECTED' ? sum.left : sum.left + count),
    codes: [...new Set([...sum.codes, ...errorCodes])],
  }
}

export interface ActionFacts {
  readonly operation: Operation
  readonly resolved: boolean
  readonly corrected: boolean
  /**
   * The call that issues the miles was refused and not corrected, so a corrected copy of the call that takes them back
   * would be refused too.
   */
  readonly nothingToTakeBack: boolean
  readonly issued: readonly IssuedMiles[]
  /** Every send of the call was refused because of a parallel transaction, so the program has recorded nothing. */
  readonly neverAccepted: boolean
  readonly mayGive: boolean
  /** Store credit is due: the redemption paid nothing, can no longer be reversed, and has no store credit yet. */
  readonly isCreditDue: boolean
  /** The call waits for a transactionId that will never arrive, so sending it again is useless. */
  readonly nameless: boolean
}

/**
 * Returns the actions that a manager may take on an operation. A redemption of unknown outcome is never sent again
 * (decision 10). A call that issued some of its miles is not sent again as a whole, which would duplicate them.
 */
export function actionsFor({
  operation,
  resolved,
  corrected,
  nothingToTakeBack,
  issued,
  neverAccepted,
  mayGive,
  isCreditDue: owed,
  nameless,
}: ActionFacts): QueueAction[] {
  const actions: QueueAction[] = []
  const { kind, state } = operation
  if (!resolved) {
    if ((kind === 'issuance' && state === 'escalated' && !nameless) || state === 'reversal-escalated')
      actions.push('send-again')
    if (owed) actions.push('credit')
    const nothingEffective =
      state === 'dead' ||
      (state === 'rejected' && operation.miles === 0 && operation.pendingMiles === 0) ||
      (kind === 'issuance' && state === 'escalated' && neverAccepted)
    if (nothingEffective && !corrected && !nothingToTakeBack) actions.push('correct')
    // A call that is still being retried cannot be resolved: if it then failed, no list would show it.
    if ((needsAttention(operation) && !isUnanswered(operation)) || state === 'accepted') actions.push('resolve')
  }
  if (issued.some(({ left }) => left > 0)) actions.push('take-back')
  if (mayGive) actions.push('give')
  return actions
}

const ATTENTION: ReadonlySet<string> = new Set([
  'escalated',
  'dead',
  'rejected',
  'reversal-expired',
  'reversal-escalated',
])

/**
 * Whether a reversal without an answer must be listed while it is still retried, because the reversal window closes.
 */
export const isUnanswered = ({ state, outcome }: Operation): boolean =>
  state === 'reversing' && outcome === REVERSAL_UNANSWERED

/**
 * Whether an operation needs a manager until it is resolved: it failed, was refused or rejected for an unexpected
 * reason, or is a reversal without an answer.
 */
export const needsAttention = (operation: Operation): boolean =>
  (ATTENTION.has(operation.state) && operation.outcome !== EXPECTED_REFUSAL) || isUnanswered(operation)

/**
 * Delay before the summary is published after a change, so that further changes are merged. After a slow count, the
 * delay is a multiple of the count's duration.
 */
const REST_MS = 50
const COUNTING_SHARE = 20

/**
 * Numbers of waiting calls and of matters that need a manager: calls, notices, card payments, card slips and a refused
 * client secret. Published in an event after each change that may affect the screens.
 */
export const queueSummaryOf = perLane((ctx: Ctx) => {
  const { transact, clock, publish } = ctx
  const journal = ctx.outbox.journal
  const central = centralOf(ctx).central
  const secret = centralOf(ctx).secret
  const alsoForPerson = () => saleRowsOf(ctx).cards.forPersonCount() + cardSlipsOf(ctx).openCount()
  let coming: (() => void) | null = null
  let countingMs = 0

  function summary(): QueueSummary {
    const counts = journal.counts()
    // A refused client secret stops every call. It counts as one more item for the manager.
    const isRefused = (secret?.refusedSince ?? central.refusedSince) !== null
    return {
      ...counts,
      attention: counts.attention + alsoForPerson() + (isRefused ? 1 : 0),
      central: central.state,
    }
  }

  function announce(): void {
    coming ??= runLater(ctx, Math.max(REST_MS, countingMs * COUNTING_SHARE), () => {
      coming = null
      const from = clock.monotonic()
      const now = summary()
      countingMs = clock.monotonic() - from
      publish({ type: 'queue-changed', summary: now })
    })
  }

  const announceCommitted = (): void => {
    transact.afterCommit(announce)
  }
  journal.events.on('operation.opened', announceCommitted)
  journal.events.on('operation.moved', announceCommitted)
  secret?.onChange(announce)
  central.onChange(announce)
  onStart(ctx, announce)

  return {
    summary,
    announce,
  }
})
