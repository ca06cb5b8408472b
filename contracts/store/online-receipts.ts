import { z } from 'zod'
import { LaneTime } from './bounds.ts'

/**
 * Receipts that customers open by the QR code on paper or on the customer display. The lane seals the receipt with a
 * key from the token in the address and sends the sealed receipt under the hash of the token, so that the store server
 * and its database cannot read it. It is deleted when it expires.
 */
export const ONLINE_PATHS = { put: '/lane/receipts/online' } as const

/** Path of the store server to which the profile's `receipt.online.url` leads. */
export const ONLINE_PREFIX = '/receipt/'

/** 160 random bits in base64url. */
export const OnlineToken = z.string().regex(/^[\w-]{27}$/)

export const LONGEST_ONLINE_MS = 366 * 24 * 3_600_000

export const PutOnlineReceipt = z.object({
  protocol: z.int(),
  id: z.string().regex(/^[0-9a-f]{64}$/),
  expiresAt: LaneTime,
  sealed: z.base64().max(256 * 1024),
})
export type PutOnlineReceipt = z.infer<typeof PutOnlineReceipt>
export const PutOnlineAnswer = z.object({})
