import { z } from 'zod'
import { scannedText } from '../core/text.ts'

/**
 * What a lane and the enrolment service say to each other over TLS. The code itself goes to nobody: the lane derives
 * two keys from it, shows one as a proof, and opens with the other what the service has kept sealed.
 */
export const ENROLMENT_PATHS = { exchange: '/enrolment/exchange', confirm: '/enrolment/confirm' } as const

const Bytes = (most: number) => z.base64().max(Math.ceil(most / 3) * 4)
const Time = z.iso.datetime()

/** POST /enrolment/exchange */
export const ExchangeRequest = z.strictObject({
  format: z.literal(1),
  /** Public part of the code. */
  code: z.string().length(5),
  /** 32 bytes that only whoever holds the code can derive. */
  proof: Bytes(32),
  store: z.string().min(1).max(80),
  lane: z.string().min(1).max(8),
  /** Public key of the lane (EC P-256, SPKI): the answer is sealed to it, and the device token bound to it. */
  key: Bytes(200),
})
export type ExchangeRequest = z.infer<typeof ExchangeRequest>

export const ExchangeAnswer = z.object({
  /** `EnrolmentPayload`, sealed by the code, then to the lane's key. */
  answer: Bytes(64 * 1024),
  serverTime: Time,
})
export type ExchangeAnswer = z.infer<typeof ExchangeAnswer>

/** POST /enrolment/confirm: what was exchanged is in the lane's care, and the service forgets it at once. */
export const ConfirmRequest = z.strictObject({
  format: z.literal(1),
  code: z.string().length(5),
  /** The lane's signature (ECDSA, SHA-256) over what `confirmation` says: whoever has the token alone is nobody. */
  signature: Bytes(200),
})
export type ConfirmRequest = z.infer<typeof ConfirmRequest>
export const confirmation = (code: string): string => `milepost enrolment confirmed 1\n${code}`

/** Why the service gives nothing. All but `wrong` and `locked` are told only to who holds the code. */
export const EXCHANGE_REFUSALS = ['wrong', 'locked', 'used', 'expired', 'revoked', 'other-lane'] as const
export const ExchangeRefusal = z.enum(EXCHANGE_REFUSALS)
export type ExchangeRefusal = z.infer<typeof ExchangeRefusal>

/** A name that is shown as it came: a server that was broken into moves no cursor with it. */
const Shown = z
  .string()
  .max(80)
  .regex(/^\P{C}*$/u)

export const RefusalAnswer = z.object({
  refused: z.string(),
  /** With `wrong`: so many tries are left. */
  triesLeft: z.int().min(0).max(99).optional(),
  /** With `other-lane`: whose code it is. */
  belongsTo: z.object({ store: Shown, lane: Shown }).optional(),
  serverTime: Time,
})
export type RefusalAnswer = z.infer<typeof RefusalAnswer>

/** What a lane gets for its code. */
export const EnrolmentPayload = z.strictObject({
  format: z.literal(1),
  clientSecret: z.string().min(1).max(4_096).nullable(),
  /** 256 random bits in base64url; the service keeps its SHA-256. */
  deviceToken: z.string().regex(/^[\w-]{43}$/),
  /** One-time PINs: good for nothing but the choice of one's own. */
  pins: z.array(z.strictObject({ staff: z.string().min(1).max(80), pin: z.string().regex(/^\d{4,8}$/) })).max(2_000),
  /** Where the store's own server is, and the authority (PEM) that vouches for it; null: there is none. */
  storeServer: z.strictObject({ url: z.url(), ca: z.string().max(16_384).nullable() }).nullable(),
})
export type EnrolmentPayload = z.infer<typeof EnrolmentPayload>

/** GET /api/enrolment: how far this lane's enrolment is, for whoever waits for it. */
export const EnrolmentStatus = z.object({
  offered: z.boolean().describe('no PIN and no client secret stand on this lane, or an enrolment was interrupted'),
  step: z.enum(['asking', 'storing']).nullable().describe('what is being done now'),
  interrupted: z.string().nullable().describe('public part of the code of an enrolment that was cut off'),
})
export type EnrolmentStatus = z.infer<typeof EnrolmentStatus>

/**
 * POST /api/enrolment: as somebody typed it, or what the QR code of the sheet holds in `code` alone. Refused with an
 * `enrolment-…` problem, whose details say what is known beside it: `triesLeft`, `store` and `lane` of the code, and
 * `clockAheadMinutes` where this lane's clock is off.
 */
export const EnrolmentOrder = z.object({
  code: scannedText({ max: 600 }),
  service: scannedText({ min: 0, max: 600 }).optional(),
  certificate: scannedText({ min: 0, max: 600 }).optional(),
})
export type EnrolmentOrder = z.infer<typeof EnrolmentOrder>

export const EnrolmentDone = z.object({
  codeId: z.string(),
  secret: z.boolean().describe('a client secret came along'),
  people: z.int().describe('so many have a one-time PIN now'),
  clockAheadMinutes: z.int().nullable().describe('of this lane, where it is more than five; negative: behind'),
  restarts: z.boolean().describe('the terminal starts again to use what came'),
})
export type EnrolmentDone = z.infer<typeof EnrolmentDone>
