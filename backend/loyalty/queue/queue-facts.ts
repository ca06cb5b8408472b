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

/** Loose: a corrected copy carries whatever else an entry says. */
const Given = z.looseObject({ issuanceOfferCode: z.string(), offerId: z.string(), milesAmount: z.int() })

/** What the exact bytes of any call of the two services may hold that the manager's list speaks of. */
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

/** The request of an operation's first call, opened from its seal. Throws when the bytes cannot be opened. */
export const requestOf = (journal: Pick<Journal, 'call'>, { id, type }: Operation): RequestFacts =>
  RequestFacts.parse(jsonOf(journal.call(id, type).request))

const ISSUES: ReadonlySet<string> = new Set(['issue', 'post', 'post-event'])
const ANSWERED: ReadonlySet<string> = new Set(['confirmed', 'accepted', 'rejected'])

const hasAnswered = (state: string): boolean => ANSWERED.has(state)

/**
 * Whether an answer without entries has said how many miles it took: a 202 that names none has not (specification 3
 * §4.2 rule 2).
 */
const saysHowMany = (operation: Operation | undefined): boolean =>
  operation !== undefined && hasAnswered(operation.state) && operation.pendingMiles !== null

/** True for a call whose answer said that it issued miles, or will. */
export const hasIssued = ({ type, state }: Operation): boolean => ISSUES.has(type) && hasAnswered(state)

const NOTHING = { miles: miles(0), pending: miles(0), rejected: miles(0), left: miles(0), codes: [] }

/**
 * True for a REVERSE that waits for a name that never comes: its POST was answered for good, without the
 * `transactionId` that is all that REVERSE may name (specification 3 §4.4). It was not sent, and never is.
 */
export function isNameless(
  { type, state, sends, afterOperationId }: Operation,
  journal: Pick<Journal, 'get'>,
): boolean {
  if (type !== 'post-reverse' || state !== 'escalated' || sends > 0 || afterOperationId === null) return false
  const before = journal.get(afterOperationId)
  return before !== undefined && hasAnswered(before.state) && before.transactionId === null
}

/** Miles by offer that a call issued, less what was taken back since or may have been. */
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
  // The program calculates what a RETURN takes: until it has answered, that may be all of it.
  const mayTakeAll = takers.some(
    ({ id, type, state }) =>
      type === 'return' && state !== 'dead' && journal.entriesOf(id) === null && !saysHowMany(journal.get(id)),
  )
  const taken = takers.flatMap(({ id, state }) => {
    // A refused call took nothing, nor one that can never leave. One whose outcome is not known counts as done: less
    // may be taken back, never more.
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
  // A call that takes miles back must name their offer: what the answer left without one cannot be taken back by offer.
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

export interface Standing {
  readonly operation: Operation
  readonly resolved: boolean
  readonly corrected: boolean
  /** What it would take back was refused and not corrected: a corrected copy would be refused too. */
  readonly nothingToTakeBack: boolean
  readonly issued: readonly IssuedMiles[]
  /** Every send of it was answered with a refusal, and none was lost: nothing of it can stand at the program. */
  readonly neverTaken: boolean
  /** Miles may be given by hand to its collector. */
  readonly mayGive: boolean
  /** Its miles paid nothing, cannot go back, and nothing was given for them. */
  readonly owed: boolean
  /** It waits for a name that never comes: sending it again does nothing. */
  readonly nameless: boolean
}

/**
 * What a manager may do about an operation. A redemption of unknown outcome is never sent again (decision 10); a call
 * of which some miles stand is not sent anew as a whole, which would double them.
 */
export function actionsFor({
  operation,
  resolved,
  corrected,
  nothingToTakeBack,
  issued,
  neverTaken,
  mayGive,
  owed,
  nameless,
}: Standing): QueueAction[] {
  const actions: QueueAction[] = []
  const { kind, state } = operation
  if (!resolved) {
    if ((kind === 'issuance' && state === 'escalated' && !nameless) || state === 'reversal-escalated')
      actions.push('send-again')
    if (owed) actions.push('credit')
    const nothingStands =
      state === 'dead' ||
      (state === 'rejected' && operation.miles === 0 && operation.pendingMiles === 0) ||
      (kind === 'issuance' && state === 'escalated' && neverTaken)
    if (nothingStands && !corrected && !nothingToTakeBack) actions.push('correct')
    // What the machine goes on with cannot be written off: it would stay off the list if it failed in the end.
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

/** The machine goes on with it by itself, and a person should know: the window of a reversal closes. */
export const isUnanswered = ({ state, outcome }: Operation): boolean =>
  state === 'reversing' && outcome === REVERSAL_UNANSWERED

/** A person must look, unless somebody has: the machine does nothing more, or has not managed yet. */
export const needsAttention = (operation: Operation): boolean =>
  (ATTENTION.has(operation.state) && operation.outcome !== EXPECTED_REFUSAL) || isUnanswered(operation)

/**
 * The screens hear of the queue this long after it moved, however often it moves meanwhile; after a long queue was
 * counted, so many times later as the counting took.
 */
const REST_MS = 50
const COUNTING_SHARE = 20

/** How many calls wait, and how many wait for a manager: told to the screens whenever it may have changed. */
export const queueNewsOf = perLane((ctx: Ctx) => {
  const { transact, clock, publish } = ctx
  const journal = ctx.outbox.journal
  const central = centralOf(ctx).central
  const secret = centralOf(ctx).secret
  const alsoForPerson = () => saleRowsOf(ctx).cards.forPersonCount() + cardSlipsOf(ctx).openCount()
  let coming: (() => void) | null = null
  let countingMs = 0

  function summary(): QueueSummary {
    const counts = journal.counts()
    // A secret that is refused stops every call: it is one thing more to look at.
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
