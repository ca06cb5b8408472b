import { z } from 'zod'
import { CollectorNumber } from '../../contracts/ids.ts'
import type { ProgramRepository } from '../program/repository.ts'

/** What a phone is to do with the code that a lane shows for this collector. */
export const PhoneAct = z.strictObject({
  userCode: z.string().min(1).max(40),
  collectorNumber: CollectorNumber,
  does: z.enum(['sign-in', 'someone-else', 'decline']),
})
export type PhoneAct = z.infer<typeof PhoneAct>

export interface PhoneOptions {
  /** The page where a member enters the code. */
  readonly page: () => string
  readonly program: Pick<ProgramRepository, 'findCollector' | 'findOtherActive'>
}

/** Less than a terminal waits for the control port: it hears of a page that is silent. */
const PATIENCE_MS = 1_500

/**
 * The phone of a made-up collector: fills in the member's page and sends it, as a browser does (RFC 8628 §3.3).
 * Answers the page's status. Rejects when the page does not answer.
 */
export const createPhone =
  ({ page, program }: PhoneOptions) =>
  async ({ userCode, collectorNumber, does }: PhoneAct): Promise<number> => {
    const holder =
      does === 'someone-else' ? program.findOtherActive(collectorNumber) : program.findCollector(collectorNumber)
    const answer = await fetch(page(), {
      method: 'POST',
      signal: AbortSignal.timeout(PATIENCE_MS),
      body: new URLSearchParams({
        user_code: userCode,
        collector_number: holder?.number ?? '',
        pin: holder?.pin ?? '',
        decision: does === 'decline' ? 'deny' : 'approve',
      }),
    })
    await answer.body?.cancel()
    return answer.status
  }
