import { z } from 'zod'

/** The change of a subject that wins over all others: its lane and its clock. */
export const RegisterStamp = z.object({ subject: z.string(), clock: z.number(), lane: z.string() })
export type RegisterStamp = z.infer<typeof RegisterStamp>

/**
 * Digests of registers, by kind: SHA-256 in hex of all stamps ordered by subject, one per line; '' when there are no
 * stamps.
 */
export const RegisterDigests = z.record(z.string().max(40), z.string().max(64))
export type RegisterDigests = z.infer<typeof RegisterDigests>

export const RegisterStamps = z.record(z.string(), z.array(RegisterStamp))
export type RegisterStamps = z.infer<typeof RegisterStamps>
