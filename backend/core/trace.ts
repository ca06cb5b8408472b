import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { TraceId, traceIdOfUuid } from '../../contracts/core/trace.ts'
import { isMaskedInLog } from '../../contracts/core/log-fields.ts'

interface Scope {
  readonly trace: TraceId
  /** Timers that were set inside go on; what they log is no part of it any more. */
  ended: boolean
}

const scopes = new AsyncLocalStorage<Scope>()

/** The trace of what is being done: of a command of a window, or of a call to the program. Null outside of both. */
export function traceNow(): TraceId | null {
  const scope = scopes.getStore()
  return scope === undefined || scope.ended ? null : scope.trace
}

/** Does the work as a part of the trace: its log lines, journal entries and calls carry it until it has ended. */
export async function inTrace<Result>(trace: TraceId, work: () => Promise<Result>): Promise<Result> {
  const scope: Scope = { trace, ended: false }
  try {
    return await scopes.run(scope, work)
  } finally {
    scope.ended = true
  }
}

/** The first sixteen bytes of a digest as a version 4 UUID has them: a service that wants one takes it. */
function traceOfDigest(text: string): TraceId {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return TraceId.parse(bytes.toString('hex'))
}

/**
 * The trace that begins with a key press: made of the key that the window made for its command, and telling nothing of
 * it. The same command, however often it comes, has the same trace, and no other has it. One that the log would take
 * for a collector number and mask is passed over.
 */
export function traceOfCommand(key: string): TraceId {
  for (let turn = 0; ; turn += 1) {
    const trace = traceOfDigest(`trace of a command ${turn} ${key}`)
    if (!isMaskedInLog(trace)) return trace
  }
}

/** Of a call that no entry names a trace for: its own tracking number where that is a UUID, else its operation's. */
export const traceOfCall = (operationId: string, trackingNumber: string): TraceId =>
  traceIdOfUuid(trackingNumber) ?? traceIdOfUuid(operationId) ?? traceOfDigest(`trace of an operation ${operationId}`)

/** The span of a call, eight bytes that follow from what it is: each of its sends has the same. */
export function spanOf(trace: TraceId, path: string): string {
  const span = createHash('sha256').update(`${trace} ${path}`).digest('hex').slice(0, 16)
  return /^0+$/.test(span) ? '0000000000000001' : span
}
