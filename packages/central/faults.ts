import { z } from 'zod'
import type { FastifyReply } from 'fastify'
import { truncate, delivered, sendSlowly, drop, leaveUnanswered, isListening, sendBytes } from './http/answer.ts'

/**
 * Fault of a matching request. "before" and "after" refer to the commit. A lost answer simulates a network failure that
 * the services do not notice; `cancel-after` one that they notice, so that they cancel the redemption (specification 3
 * §4.5 rule 6).
 */
export const FaultAction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('delay'), ms: z.int().min(0).max(600_000) }),
  z.strictObject({ kind: z.literal('hang-before') }),
  z.strictObject({ kind: z.literal('hang-after') }),
  z.strictObject({ kind: z.literal('drop-before') }),
  z.strictObject({ kind: z.literal('drop-after') }),
  z.strictObject({ kind: z.literal('cancel-after') }),
  z.strictObject({ kind: z.literal('answer'), status: z.int().min(200).max(599), body: z.unknown() }),
  z.strictObject({ kind: z.literal('truncate') }),
  z.strictObject({ kind: z.literal('garble') }),
  z.strictObject({ kind: z.literal('wrong-echo') }),
  z.strictObject({ kind: z.literal('no-token') }),
  /** Revokes the caller's token during the call: this call and later calls with the token are refused. */
  z.strictObject({ kind: z.literal('expire-token') }),
  /** Answers as the service does during a scheduled outage; the request has no effect. */
  z.strictObject({ kind: z.literal('outage') }),
  z.strictObject({ kind: z.literal('duplicate') }),
  /** Sends the correct answer `bytes` at a time, `ms` apart. */
  z.strictObject({
    kind: z.literal('slow-drip'),
    bytes: z.int().min(1).max(65_536).default(16),
    ms: z.int().min(0).max(60_000).default(50),
  }),
])
export type FaultAction = z.infer<typeof FaultAction>

export const FaultRule = z.strictObject({
  id: z.string().min(1).max(64).optional(),
  /** An exact path, or a prefix and a star, such as `/checkout/loyaltycash/*`. */
  path: z.string().startsWith('/'),
  collectorNumber: z.string().optional(),
  /** Number of the first matching request that the rule affects; 1 is the first one after the rule was set. */
  occurrence: z.int().min(1).optional(),
  /** Number of requests that the rule affects; default: 1 with `occurrence`, unlimited without. */
  times: z.int().min(1).optional(),
  window: z
    .strictObject({
      from: z.iso.datetime({ offset: true }).optional(),
      to: z.iso.datetime({ offset: true }).optional(),
    })
    .optional(),
  action: FaultAction,
})
export type FaultRule = z.infer<typeof FaultRule>
export type FaultRuleInput = z.input<typeof FaultRule>

export const FaultRules = z.strictObject({ rules: z.array(FaultRule).min(1).max(200) })

interface ActiveRule {
  readonly rule: FaultRule & { id: string }
  seen: number
  struck: number
}

export type Faults = ReturnType<typeof createFaults>

export function createFaults() {
  let active: ActiveRule[] = []
  let next = 1

  return {
    /** A rule with the id of an active rule replaces the active one and restarts its count. */
    add(rules: readonly FaultRule[]): void {
      for (const rule of rules) {
        const id = rule.id ?? `rule-${next++}`
        active = active.filter((other) => other.rule.id !== id)
        active.push({ rule: { ...rule, id }, seen: 0, struck: 0 })
      }
    },
    clear(): void {
      active = []
    },
    list: (): (FaultRule & { id: string; seen: number; struck: number })[] =>
      active.map(({ rule, seen, struck }) => ({ ...rule, seen, struck })),
    /**
     * Returns the fault of this request. Every matching rule counts the request; the first rule that is due wins. `now`
     * is in epoch milliseconds of the services' clock.
     */
    strike(path: string, collectorNumber: string | undefined, now: number): FaultAction | undefined {
      let action: FaultAction | undefined
      for (const entry of active) {
        const { rule } = entry
        if (
          !reaches(rule, path, now) ||
          (rule.collectorNumber !== undefined && rule.collectorNumber !== collectorNumber)
        )
          continue
        entry.seen += 1
        const first = rule.occurrence ?? 1
        const last =
          rule.times === undefined ? (rule.occurrence === undefined ? Infinity : first) : first + rule.times - 1
        if (action !== undefined || entry.seen < first || entry.seen > last) continue
        entry.struck += 1
        action = rule.action
      }
      return action
    },
  }
}

function reaches({ path: wanted, window }: FaultRule, path: string, now: number): boolean {
  if (wanted.endsWith('*') ? !path.startsWith(wanted.slice(0, -1)) : path !== wanted) return false
  if (!window) return true
  return (
    (window.from === undefined || now >= Date.parse(window.from)) &&
    (window.to === undefined || now < Date.parse(window.to))
  )
}

export interface OutageAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/** Applies faults that precede the effect of a request. Returns true when a fault ended the request. */
export function applyBefore(fault: FaultAction | undefined, reply: FastifyReply, outage: OutageAnswer): boolean {
  switch (fault?.kind) {
    case 'hang-before':
      leaveUnanswered(reply)
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
 * Sends the answer, or loses it as the fault requires. Resolves with false when the services know that it was not
 * delivered.
 */
export async function sendAnswer(
  fault: FaultAction | undefined,
  reply: FastifyReply,
  status: number,
  body: Buffer,
): Promise<boolean> {
  switch (fault?.kind) {
    case 'hang-after':
      leaveUnanswered(reply)
      return true
    case 'drop-after':
      drop(reply)
      return true
    case 'truncate':
      truncate(reply, status, body)
      return true
    case 'cancel-after':
      return false
    case 'slow-drip':
      return sendSlowly(reply, status, body, fault.bytes, fault.ms)
    default:
      if (!isListening(reply)) {
        reply.hijack()
        return false
      }
      sendBytes(reply, status, corruptAnswer(fault, body))
      return delivered(reply)
  }
}

/** Returns the bytes to send for faults that change the answer. The stored answer stays unchanged. */
export function corruptAnswer(action: FaultAction | undefined, body: Buffer): Buffer {
  switch (action?.kind) {
    case 'garble':
      return corrupt(body)
    case 'wrong-echo':
      return wrongEcho(body)
    default:
      return body
  }
}

function corrupt(body: Buffer): Buffer {
  const spoiled = Buffer.from(body)
  for (let index = 0; index < spoiled.length; index += 3) spoiled[index] = (spoiled[index] ?? 0) ^ 0x55
  return spoiled
}

function wrongEcho(body: Buffer): Buffer {
  if (body.length === 0) return body
  const answer = JSON.parse(body.toString('utf8')) as Record<string, unknown>
  if ('traceId' in answer) answer.traceId = 'another-trace'
  if ('checkoutTransactionId' in answer) answer.checkoutTransactionId = 'ANOTHER-TRANSACTION'
  if (Array.isArray(answer.offers)) answer.offers = []
  if ('collectorNumber' in answer) answer.collectorNumber = '80000000000'
  return Buffer.from(JSON.stringify(answer))
}
