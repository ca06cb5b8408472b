import { z } from 'zod'

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
])
export type FaultAction = z.infer<typeof FaultAction>

export const FaultRule = z.strictObject({
  id: z.string().min(1).max(64).optional(),
  path: z.string().startsWith('/'),
  collectorNumber: z.string().optional(),
  /** The first matching request that it strikes, counted from 1 since the rule was set. */
  occurrence: z.int().min(1).optional(),
  /** How many it strikes. Left out: one when `occurrence` is given, else all of them. */
  times: z.int().min(1).optional(),
  action: FaultAction,
})
export type FaultRule = z.infer<typeof FaultRule>

export const FaultRules = z.strictObject({ rules: z.array(FaultRule).min(1).max(200) })

interface StandingRule { readonly rule: FaultRule & { id: string }, seen: number, struck: number }

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
    clear(): void { standing = [] },
    list: (): (FaultRule & { id: string, seen: number, struck: number })[] => standing.map(({ rule, seen, struck }) => ({ ...rule, seen, struck })),
    /** The action for this request, if any. Every matching rule counts it; the first that strikes wins. */
    strike(path: string, collectorNumber: string | undefined): FaultAction | undefined {
      let action: FaultAction | undefined
      for (const entry of standing) {
        const { rule } = entry
        if (rule.path !== path || (rule.collectorNumber !== undefined && rule.collectorNumber !== collectorNumber)) continue
        entry.seen += 1
        const first = rule.occurrence ?? 1
        const last = rule.times === undefined ? (rule.occurrence === undefined ? Infinity : first) : first + rule.times - 1
        if (action !== undefined || entry.seen < first || entry.seen > last) continue
        entry.struck += 1
        action = rule.action
      }
      return action
    },
  }
}
