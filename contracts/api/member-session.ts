import { z } from 'zod'
import { SaleId } from '../ids.ts'
import { TroubleKind } from './diagnostics.ts'

/** Why a member's sign-in has ended without one, or before the sale. */
export const SessionEnd = z.enum(['expired', 'denied', 'someone-else', 'unreachable', 'refused', 'token-expired'])
export type SessionEnd = z.infer<typeof SessionEnd>

/**
 * The sign-in of the collector of a sale, with their own phone (RFC 8628). No token and no number is in it: the code
 * is the phone's to type, and worth nothing without it.
 */
export const MemberSession = z.discriminatedUnion('state', [
  z.object({ state: z.literal('asking'), saleId: SaleId }),
  z.object({
    state: z.literal('waiting'),
    saleId: SaleId,
    userCode: z.string().describe('to type on the page'),
    page: z.string().describe('address of the page'),
    pageWithCode: z.string().describe('address that holds the code already, for the QR code'),
    expiresAt: z.string(),
  }),
  z.object({ state: z.literal('signed-in'), saleId: SaleId, at: z.string() }),
  z.object({ state: z.literal('ended'), saleId: SaleId, why: SessionEnd }),
])
export type MemberSession = z.infer<typeof MemberSession>

/** GET /api/member-session. `offered`: whether members can sign in at this lane at all. */
export const MemberSessionNow = z.object({ offered: z.boolean(), session: MemberSession.nullable() })
export type MemberSessionNow = z.infer<typeof MemberSessionNow>

/** POST /api/sales/:id/member-session/print: what became of the slip, and what is the matter with the printer. */
export const SignInSlipAnswer = z.object({
  state: z.enum(['confirmed', 'sent', 'unknown', 'failed']),
  trouble: TroubleKind.nullable().describe('null: it says nothing'),
})
export type SignInSlipAnswer = z.infer<typeof SignInSlipAnswer>
