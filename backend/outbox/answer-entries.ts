import { z } from 'zod'
import { entriesFrom, NEWEST_OF_OPERATION } from './chain.ts'

/** What the journal keeps of the entries of an answer. */
export const AnswerEntries = z.array(
  z.object({
    issuanceOfferCode: z.string().nullable(),
    offerId: z.string().nullable(),
    milesAmount: z.int().nullable(),
    status: z.enum(['CONFIRMED', 'PENDING', 'REJECTED']),
    errorCodes: z.array(z.string()),
  }),
)
export type AnswerEntry = z.infer<typeof AnswerEntries>[number]

/** What an approval that could not be applied as asked says was taken, in cents, and under which number. */
export const TakenAnyway = z.object({ confirmationNumber: z.string(), amountCents: z.int(), miles: z.int() })
export type TakenAnyway = z.infer<typeof TakenAnyway>
export const TAKEN = `${entriesFrom(NEWEST_OF_OPERATION)}
  SELECT json_extract(detail, '$.kept.taken') AS taken FROM entry_of CROSS JOIN journal_entry USING (seq)
  WHERE json_extract(detail, '$.kept.taken') IS NOT NULL ORDER BY seq DESC LIMIT 1`

/**
 * SQL that returns a row when an earlier send of an issuance may have succeeded without a known answer. Sends that
 * provably did nothing have `kept.undone` in the entry after them; a crash leaves another send as the next entry.
 */
export const MAY_BE_DONE = `${entriesFrom(NEWEST_OF_OPERATION)}
  SELECT 1 FROM entry_of CROSS JOIN journal_entry USING (seq) WHERE from_state = 'sent'
    AND to_state IN ('sent', 'queued') AND json_extract(detail, '$.kept.undone') IS NULL LIMIT 1`

/** SQL for the entries of the newest answer of an operation that had any, as JSON. */
export const KEPT = `${entriesFrom(NEWEST_OF_OPERATION)}
  SELECT json_extract(detail, '$.kept.issuances') AS issuances FROM entry_of CROSS JOIN journal_entry USING (seq)
  WHERE json_extract(detail, '$.kept.issuances') IS NOT NULL ORDER BY seq DESC LIMIT 1`
