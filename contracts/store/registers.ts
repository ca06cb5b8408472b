import { z } from 'zod'

/** The change of a thing that counts: whose it is and when it was made. */
export const RegisterStamp = z.object({ subject: z.string(), clock: z.number(), lane: z.string() })
export type RegisterStamp = z.infer<typeof RegisterStamp>

/** By kind, SHA-256 in hex of all stamps in the order of their subjects, a line each; '' where there is none. */
export const RegisterDigests = z.record(z.string().max(40), z.string().max(64))
export type RegisterDigests = z.infer<typeof RegisterDigests>

/** By kind, everything that the store has of it. */
export const RegisterStamps = z.record(z.string(), z.array(RegisterStamp))
export type RegisterStamps = z.infer<typeof RegisterStamps>
