import { z } from 'zod'
import type { IssuedMiles, QueueAction } from '../../../contracts/api/queue.ts'
import { miles } from '../../../contracts/miles.ts'
import { jsonOf } from '../../central/json.ts'
import { FORETOLD, REVERSAL_UNANSWERED, type Journal, type Operation } from '../../journal/store.ts'
import type { QueueRepository } from './repository.ts'

/** Loose: a corrected copy carries whatever else an entry says. */
const Given = z.looseObject({ issuanceOfferCode: z.string(), offerId: z.string(), milesAmount: z.int(), status: z.string().optional() })
type Given = z.infer<typeof Given>

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
export const requestOf = (journal: Pick<Journal, 'call'>, { id, intention }: Operation): RequestFacts => RequestFacts.parse(jsonOf(journal.call(id, intention).request))

const ISSUES: ReadonlySet<string> = new Set(['issue', 'post', 'post-event'])
const ANSWERED: ReadonlySet<string> = new Set(['confirmed', 'accepted', 'rejected'])

/** True for a call whose answer said that it issued miles, or will. */
export const hasIssued = ({ intention, state }: Operation): boolean => ISSUES.has(intention) && ANSWERED.has(state)

const standing = (entries: readonly Given[]): Given[] => entries.filter(({ status }) => status !== 'REJECTED')

/** Miles by offer that a call issued, less what was taken back since or may have been. */
export function issuedMiles(operation: Operation, journal: Pick<Journal, 'call' | 'get'>, repository: QueueRepository): IssuedMiles[] {
  if (!hasIssued(operation)) return []
  const keptOf = (id: string): Given[] | null => {
    const json = repository.keptIssuances(id)
    return json === null ? null : standing(z.array(Given).parse(JSON.parse(json)))
  }
  const takers = repository.takersOf(operation.saleId, operation.id)
  // The program calculates what a RETURN takes: until it has answered, that may be all of it.
  const mayTakeAll = takers.some(({ id, intention, state }) => intention === 'return' && state !== 'dead' && keptOf(id) === null && journal.get(id)?.miles == null)
  const taken = takers.flatMap(({ id, state }) => {
    // A refused call took nothing. One whose outcome is not known counts as done: less may be taken back, never more.
    const taker = state === 'dead' ? undefined : journal.get(id)
    return taker ? keptOf(id) ?? requestOf(journal, taker).issuances ?? [] : []
  })
  const byOffer = new Map<string, { offerId: string; miles: number; left: number }>()
  for (const { issuanceOfferCode, offerId, milesAmount } of keptOf(operation.id) ?? []) {
    const sum = byOffer.get(issuanceOfferCode) ?? { offerId, miles: 0, left: 0 }
    byOffer.set(issuanceOfferCode, { offerId, miles: sum.miles + milesAmount, left: sum.left + milesAmount })
  }
  for (const { issuanceOfferCode, milesAmount } of taken) {
    const sum = byOffer.get(issuanceOfferCode)
    if (sum) sum.left -= Math.abs(milesAmount)
  }
  return [...byOffer].map(([issuanceOfferCode, sum]) => ({ issuanceOfferCode, offerId: sum.offerId, miles: miles(sum.miles), left: miles(mayTakeAll ? 0 : Math.max(sum.left, 0)) }))
}

export interface Standing {
  readonly operation: Operation
  readonly resolved: boolean
  readonly corrected: boolean
  /** What it would take back was refused and not corrected: a corrected copy would be refused too. */
  readonly nothingToTakeBack: boolean
  readonly issued: readonly IssuedMiles[]
}

/**
 * What a manager may do about an operation. A redemption of unknown outcome is never sent again (decision 0019); a call
 * of which some miles stand is not sent anew as a whole, which would double them.
 */
export function actionsFor({ operation, resolved, corrected, nothingToTakeBack, issued }: Standing): QueueAction[] {
  const actions: QueueAction[] = []
  const { kind, state } = operation
  if (!resolved) {
    if ((kind === 'issuance' && state === 'escalated') || state === 'reversal-escalated') actions.push('send-again')
    const nothingStands = state === 'dead' || (state === 'rejected' && operation.miles === 0)
    if (nothingStands && !corrected && !nothingToTakeBack) actions.push('correct')
    // What the machine goes on with cannot be written off: it would stay off the list if it failed in the end.
    if (needsAttention(operation) && !isUnanswered(operation)) actions.push('resolve')
  }
  if (issued.some(({ left }) => left > 0)) actions.push('take-back')
  return actions
}

const ATTENTION: ReadonlySet<string> = new Set(['escalated', 'dead', 'rejected', 'reversal-expired', 'reversal-escalated'])

/** The machine goes on with it by itself, and a person should know: the window of a reversal closes. */
export const isUnanswered = ({ state, outcome }: Operation): boolean => state === 'reversing' && outcome === REVERSAL_UNANSWERED

/** A person must look, unless somebody has: the machine does nothing more, or has not managed yet. */
export const needsAttention = (operation: Operation): boolean => (ATTENTION.has(operation.state) && operation.outcome !== FORETOLD) || isUnanswered(operation)
