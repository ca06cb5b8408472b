import { z } from 'zod'
import { scannedText } from '../core/text.ts'

/**
 * Protocol between a lane and the enrolment service, over TLS. The one-time code itself is never sent: the lane derives
 * two keys from it, sends one as a proof, and opens with the other the payload that the service has stored sealed.
 */
export const ENROLMENT_PATHS = { exchange: '/enrolment/exchange', confirm: '/enrolment/confirm' } as const

const Bytes = (most: number) => z.base64().max(Math.ceil(most / 3) * 4)
const Time = z.iso.datetime()

export const ExchangeRequest = z.strictObject({
  format: z.literal(1),
  code: z.string().length(5),
  proof: Bytes(32),
  store: z.string().min(1).max(80),
  lane: z.string().min(1).max(8),
  /**
   * Public signing key of the lane (EC P-256, SPKI): the answer is sealed to it, and the device token is bound to it.
   */
  key: Bytes(200),
})
export type ExchangeRequest = z.infer<typeof ExchangeRequest>

export const ExchangeAnswer = z.object({
  answer: Bytes(64 * 1024),
  serverTime: Time,
})
export type ExchangeAnswer = z.infer<typeof ExchangeAnswer>

export const ConfirmRequest = z.strictObject({
  format: z.literal(1),
  code: z.string().length(5),
  /** The lane's signature (ECDSA, SHA-256) over `confirmation`, because the device token alone is not sufficient. */
  signature: Bytes(200),
})
export type ConfirmRequest = z.infer<typeof ConfirmRequest>
export const confirmation = (code: string): string => `milepost enrolment confirmed 1\n${code}`

/**
 * Why the service refuses an enrolment. All reasons but `wrong` and `locked` are sent only to the holder of the code.
 */
export const EXCHANGE_REFUSALS = ['wrong', 'locked', 'used', 'expired', 'revoked', 'other-lane'] as const
export const ExchangeRefusal = z.enum(EXCHANGE_REFUSALS)
export type ExchangeRefusal = z.infer<typeof ExchangeRefusal>

/**
 * A name that is shown as it is, so it has no control characters: a compromised server could move the cursor of a
 * console with them.
 */
const Shown = z
  .string()
  .max(80)
  .regex(/^\P{C}*$/u)

export const RefusalAnswer = z.object({
  refused: z.string(),
  triesLeft: z.int().min(0).max(99).optional(),
  belongsTo: z.object({ store: Shown, lane: Shown }).optional(),
  serverTime: Time,
})
export type RefusalAnswer = z.infer<typeof RefusalAnswer>

/** Payload of an enrolment, which the service seals and the lane stores. */
export const EnrolmentPayload = z.strictObject({
  format: z.literal(1),
  clientSecret: z.string().min(1).max(4_096).nullable(),
  /** Device token: 256 random bits in base64url, of which the service stores the SHA-256. */
  deviceToken: z.string().regex(/^[\w-]{43}$/),
  /** One-time PINs of the staff, which only allow a person to choose a new PIN. */
  pins: z.array(z.strictObject({ staff: z.string().min(1).max(80), pin: z.string().regex(/^\d{4,8}$/) })).max(2_000),
  /** Address of the store server and the authority (PEM) of its certificate; null: no store server. */
  storeServer: z.strictObject({ url: z.url(), ca: z.string().max(16_384).nullable() }).nullable(),
})
export type EnrolmentPayload = z.infer<typeof EnrolmentPayload>

export const EnrolmentStatus = z.object({
  offered: z.boolean().describe('this lane has no PIN and no client secret, or an enrolment was interrupted'),
  step: z.enum(['asking', 'storing']).nullable().describe('current step'),
  interrupted: z.string().nullable().describe('public part of the code of an interrupted enrolment'),
})
export type EnrolmentStatus = z.infer<typeof EnrolmentStatus>

/**
 * Body of POST /api/enrolment: a typed code, or the content of the enrolment sheet's QR code in `code` alone. The call
 * is refused with an `enrolment-…` problem, whose details may contain `triesLeft`, `store` and `lane` of the code, and
 * `clockAheadMinutes` if this lane's clock is wrong.
 */
export const EnrolmentRequest = z.object({
  code: scannedText({ max: 600 }),
  service: scannedText({ min: 0, max: 600 }).optional(),
  certificate: scannedText({ min: 0, max: 600 }).optional(),
})
export type EnrolmentRequest = z.infer<typeof EnrolmentRequest>

export const EnrolmentDone = z.object({
  codeId: z.string(),
  secret: z.boolean().describe('a client secret was received'),
  people: z.int().describe('number of people with a one-time PIN'),
  clockAheadMinutes: z.int().nullable().describe('of this lane, if it is off by more than five; negative: behind'),
  restarts: z.boolean().describe('the terminal restarts to use the received data'),
})
export type EnrolmentDone = z.infer<typeof EnrolmentDone>
