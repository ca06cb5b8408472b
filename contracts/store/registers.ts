import { z } from 'zod'

/** The winning change of a thing: its lane and its clock. */
export const RegisterStamp = z.object({ subject: z.string(), clock: z.number(), lane: z.string() })
export type RegisterStamp = z.infer<typeof RegisterStamp>

/** By kind, SHA-256 in hex of all stamps ordered by subject, one per line; '' when there are no stamps. */
export const RegisterDigests = z.record(z.string().max(40), z.string().max(64))
export type RegisterDigests = z.infer<typeof RegisterDigests>

/** By kind, all stamps that the store has. */
export const RegisterStamps = z.record(z.string(), z.array(RegisterStamp))
export type RegisterStamps = z.infer<typeof RegisterStamps>
