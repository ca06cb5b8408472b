import type { FastifyReply } from 'fastify'
import { breakOff, delivered, drip, drop, hang, isListening, sendBytes } from '../http/delivery.ts'
import type { FaultAction } from './rules.ts'
import { spoil } from './spoil.ts'

/** What a service says while it is away on purpose, in its own shape. */
export interface OutageAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Faults that strike before the effect. Returns true when the request ends here. */
export function strikeBefore(fault: FaultAction | undefined, reply: FastifyReply, outage: OutageAnswer): boolean {
  switch (fault?.kind) {
    case 'hang-before':
      hang(reply)
      return true
    case 'drop-before':
      drop(reply)
      return true
    case 'answer':
      sendBytes(
        reply,
        fault.status,
        typeof fault.body === 'string' ? Buffer.from(fault.body) : Buffer.from(JSON.stringify(fault.body ?? {})),
      )
      return true
    case 'outage':
      sendBytes(reply, outage.status, Buffer.from(JSON.stringify(outage.body)))
      return true
    default:
      return false
  }
}

/**
 * Lets the answer leave, or be lost as the fault says. Resolves false when the services know that it did not arrive.
 */
export async function leave(
  fault: FaultAction | undefined,
  reply: FastifyReply,
  status: number,
  body: Buffer,
): Promise<boolean> {
  switch (fault?.kind) {
    case 'hang-after':
      hang(reply)
      return true
    case 'drop-after':
      drop(reply)
      return true
    case 'truncate':
      breakOff(reply, status, body)
      return true
    case 'cancel-after':
      return false
    case 'slow-drip':
      return drip(reply, status, body, fault.bytes, fault.ms)
    default:
      if (!isListening(reply)) {
        reply.hijack()
        return false
      }
      sendBytes(reply, status, spoil(fault, body))
      return delivered(reply)
  }
}
