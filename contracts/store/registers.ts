import { z } from 'zod'

/**
 * Version of a register: lane and clock of the winning change. A register is the value of one subject, such as a
 * person, a setting or an item, of which every lane of the store has a copy.
 */
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
