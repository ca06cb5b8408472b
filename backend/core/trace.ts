import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { TraceId, traceIdOfUuid } from '../../contracts/core/trace.ts'
import { isMaskedInLog } from '../../contracts/core/log-fields.ts'

interface Scope {
  readonly trace: TraceId
  ended: boolean
}

const scopes = new AsyncLocalStorage<Scope>()

/** Returns the current trace, of a window's command or of a call to the program's services; null outside of both. */
export function traceNow(): TraceId | null {
  const scope = scopes.getStore()
  return scope === undefined || scope.ended ? null : scope.trace
}

/** Runs the work in the trace: its log lines, journal entries and calls carry the trace until the work ends. */
export async function inTrace<Result>(trace: TraceId, work: () => Promise<Result>): Promise<Result> {
  const scope: Scope = { trace, ended: false }
  try {
    return await scopes.run(scope, work)
  } finally {
    scope.ended = true
  }
}

/** Returns the first sixteen bytes of a digest in the form of a version 4 UUID, for services that require one. */
function traceOfDigest(text: string): TraceId {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return TraceId.parse(bytes.toString('hex'))
}

/**
 * Trace of a command, derived from its idempotency key without revealing the key, so that a repeated command has the
 * same trace. Skips traces that the log would mask as a collector number.
 */
export function traceOfCommand(key: string): TraceId {
  for (let attempt = 0; ; attempt += 1) {
    const trace = traceOfDigest(`trace of a command ${attempt} ${key}`)
    if (!isMaskedInLog(trace)) return trace
  }
}

/**
 * Trace of a call for which the journal names none: its tracking number if that is a UUID, otherwise one derived from
 * its operation id.
 */
export const traceOfCall = (operationId: string, trackingNumber: string): TraceId =>
  traceIdOfUuid(trackingNumber) ?? traceIdOfUuid(operationId) ?? traceOfDigest(`trace of an operation ${operationId}`)

/** Span of a call: eight bytes derived from its trace and path, so that a repeated call has the same one. */
export function spanOf(trace: TraceId, path: string): string {
  const span = createHash('sha256').update(`${trace} ${path}`).digest('hex').slice(0, 16)
  return /^0+$/.test(span) ? '0000000000000001' : span
}
