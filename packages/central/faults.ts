import { z } from 'zod'
import type { FastifyReply } from 'fastify'
import { breakOff, delivered, drip, drop, hang, isListening, sendBytes } from './http/answer.ts'

/**
 * Faults as data. "before" and "after" tell whether the effect was committed. A fault that loses the answer stands for
 * a network beyond the services: they believe that the answer arrived. `cancel-after` is the other case of
 * specification 3 §4.5 rule 6: the services notice, and cancel the redemption.
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
  /**
   * The caller's token ends while the call is under way: this call and every later one under it hear that it is not
   * valid.
   */
  z.strictObject({ kind: z.literal('expire-token') }),
  /** The service's own answer to a scheduled outage; no effect. */
  z.strictObject({ kind: z.literal('outage') }),
  /** The network delivers the request twice at once; one answer comes back. */
  z.strictObject({ kind: z.literal('duplicate') }),
  /** The true answer, `bytes` at a time with `ms` between. */
  z.strictObject({
    kind: z.literal('slow-drip'),
    bytes: z.int().min(1).max(65_536).default(16),
    ms: z.int().min(0).max(60_000).default(50),
  }),
])
export type FaultAction = z.infer<typeof FaultAction>

export const FaultRule = z.strictObject({
  id: z.string().min(1).max(64).optional(),
  /** A path, or the beginning of one and a star: `/checkout/loyaltycash/*`. */
  path: z.string().startsWith('/'),
  collectorNumber: z.string().optional(),
  /** The first matching request that it strikes, counted from 1 since the rule was set. */
  occurrence: z.int().min(1).optional(),
  /** How many it strikes. Left out: one when `occurrence` is given, else all of them. */
  times: z.int().min(1).optional(),
  /** Strikes, and counts, only within these moments of the services' clock; either may be left out. */
  window: z
    .strictObject({
      from: z.iso.datetime({ offset: true }).optional(),
      to: z.iso.datetime({ offset: true }).optional(),
    })
    .optional(),
  action: FaultAction,
})
export type FaultRule = z.infer<typeof FaultRule>
/** A rule as it is written down: what has a default may be left out. */
export type FaultRuleInput = z.input<typeof FaultRule>

export const FaultRules = z.strictObject({ rules: z.array(FaultRule).min(1).max(200) })

interface StandingRule {
  readonly rule: FaultRule & { id: string }
  seen: number
  struck: number
}

export type Faults = ReturnType<typeof createFaults>

/** Holds the rules in force and decides, request by request, which one strikes. */
export function createFaults() {
  let standing: StandingRule[] = []
  let next = 1

  return {
    /** Adds rules; one with the id of a standing rule takes its place and counts anew. */
    add(rules: readonly FaultRule[]): void {
      for (const rule of rules) {
        const id = rule.id ?? `rule-${next++}`
        standing = standing.filter((other) => other.rule.id !== id)
        standing.push({ rule: { ...rule, id }, seen: 0, struck: 0 })
      }
    },
    clear(): void {
      standing = []
    },
    list: (): (FaultRule & { id: string; seen: number; struck: number })[] =>
      standing.map(({ rule, seen, struck }) => ({ ...rule, seen, struck })),
    /**
     * The action for this request, if any. Every matching rule counts it; the first that strikes wins. `now` in epoch
     * milliseconds of the services' clock.
     */
    strike(path: string, collectorNumber: string | undefined, now: number): FaultAction | undefined {
      let action: FaultAction | undefined
      for (const entry of standing) {
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

/** What leaves instead of the true answer, for the faults that change its bytes. The stored answer stays as it was. */
export function spoil(action: FaultAction | undefined, body: Buffer): Buffer {
  switch (action?.kind) {
    case 'garble':
      return garble(body)
    case 'wrong-echo':
      return wrongEcho(body)
    default:
      return body
  }
}

/** Same length, no longer JSON: every third byte is turned over. */
function garble(body: Buffer): Buffer {
  const spoiled = Buffer.from(body)
  for (let index = 0; index < spoiled.length; index += 3) spoiled[index] = (spoiled[index] ?? 0) ^ 0x55
  return spoiled
}

/** A well-formed answer that belongs to another request. */
function wrongEcho(body: Buffer): Buffer {
  if (body.length === 0) return body
  const answer = JSON.parse(body.toString('utf8')) as Record<string, unknown>
  if ('traceId' in answer) answer.traceId = 'another-trace'
  if ('checkoutTransactionId' in answer) answer.checkoutTransactionId = 'ANOTHER-TRANSACTION'
  if (Array.isArray(answer.offers)) answer.offers = []
  if ('collectorNumber' in answer) answer.collectorNumber = '80000000000'
  return Buffer.from(JSON.stringify(answer))
}
