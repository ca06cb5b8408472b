import { z } from 'zod'
import type { IssuedEntry } from './issue-answer.ts'

/** The entries of the answer to a POST; null where it had none. */
type Answered = readonly Pick<IssuedEntry, 'issuanceOfferCode' | 'status'>[] | null

const Draft = z.looseObject({ issuances: z.array(z.looseObject({ issuanceOfferCode: z.string() })).min(1) })

/**
 * The REVERSE of a draft, once the POST has been answered: it names the POST's transactionId (specification 3 §4.4) and
 * takes back only what the POST gave, or may still give. `answered`: the entries of that answer, null where it had
 * none. Null when every offer of the draft was rejected: then there is nothing to take back.
 */
export function completeReverse(draft: unknown, originalTransactionId: string, answered: Answered): object | null {
  const request = Draft.parse(draft)
  const issuances = request.issuances.filter(({ issuanceOfferCode }) => wasGiven(issuanceOfferCode, answered))
  return issuances.length === 0 ? null : { ...request, issuances, originalTransactionId }
}

/** Whether miles under an offer stand, or may come to stand: an offer that the answer does not speak of may. */
export function wasGiven(offerCode: string, answered: Answered): boolean {
  const ofOffer = (answered ?? []).filter(({ issuanceOfferCode }) => issuanceOfferCode === offerCode)
  return ofOffer.length === 0 || ofOffer.some(({ status }) => status !== 'REJECTED')
}
