import { z } from 'zod'

/** A trace id of the W3C Trace Context (level 1, §3.2.2.3): 32 hexadecimal digits, not all of them zero. */
export const TraceId = z
  .string()
  .regex(/^(?!0{32})[0-9a-f]{32}$/)
  .brand<'TraceId'>()
export type TraceId = z.infer<typeof TraceId>

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i

/** Converts a UUID to a trace id; null for any other text. */
export const traceIdOfUuid = (text: string): TraceId | null =>
  UUID.test(text) ? (TraceId.safeParse(text.replaceAll('-', '').toLowerCase()).data ?? null) : null

/** Formats the sixteen bytes of a trace id as a UUID, for services that require one. */
export const uuidOfTraceId = (trace: TraceId): string =>
  trace.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** Parses a trace id as a person types it, with or without the hyphens of a UUID; null for any other text. */
export const typedTraceId = (text: string): TraceId | null => {
  const typed = text.trim().toLowerCase()
  return traceIdOfUuid(typed) ?? TraceId.safeParse(typed).data ?? null
}

/**
 * Returns the header `traceparent` (W3C Trace Context §3.2), sampled. `parent`: sixteen hexadecimal digits, the same
 * for every send of one call, because a retry is identical (specification 3 §4.5 rule 6).
 */
export const traceparentOf = (trace: TraceId, parent: string): string => `00-${trace}-${parent}-01`

/** Reads the trace of a `traceparent` header (W3C Trace Context §3.2.2); null when it is absent or invalid. */
export const traceOfParent = (header: unknown): TraceId | null => {
  const [, trace] = typeof header === 'string' ? (PARENT.exec(header) ?? []) : []
  return TraceId.safeParse(trace).data ?? null
}
const PARENT = /^00-([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/
