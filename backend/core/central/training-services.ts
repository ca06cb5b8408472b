import { z } from 'zod'
import { CentralCondition, type TrainingPhone } from '../../../contracts/operations/training.ts'
import { CASH_PATHS } from '../../../contracts/central/cash.ts'
import type { CollectorNumber } from '../../../contracts/core/ids.ts'

/**
 * Sets the reference services' faults for a trainee, through the services' control port. It exists in training mode
 * only.
 */
export interface TrainingServices {
  condition(): Promise<CentralCondition | null>
  /** Sets the fault. Rejects when the control port does not answer. */
  set(condition: CentralCondition): Promise<void>
  /**
   * Lets a simulated phone open the code of a member's sign-in; returns the HTTP status of the sign-in page. Rejects
   * when the control port does not answer.
   */
  phone(act: PhoneAct): Promise<number>
}

export interface PhoneAct {
  readonly userCode: string
  readonly collectorNumber: CollectorNumber
  readonly does: TrainingPhone
}

interface Rule {
  readonly path: string
  readonly occurrence?: number
  readonly action: { readonly kind: string; readonly ms?: number }
}

/** All services except the identity provider: a lane whose loyalty service fails still gets tokens. */
const SERVICES = ['/checkout/*', '/offers*', '/transaction-history/*'] as const
/** Delay of a slow service: half of the redemption timeout (`limits.cashTimeoutMs`), so that no call times out. */
const SLOW_MS = 4_000
const everywhere = (action: Rule['action']): readonly Rule[] => SERVICES.map((path) => ({ path, action }))

const RULES: Readonly<Record<CentralCondition, readonly Rule[]>> = {
  well: [],
  slow: everywhere({ kind: 'delay', ms: SLOW_MS }),
  // With this fault the service carries out the request and its answer is lost (specification 3 §4.5 rule 6).
  silent: everywhere({ kind: 'hang-after' }),
  wrong: [{ path: '/checkout/*', action: { kind: 'wrong-echo' } }],
  away: everywhere({ kind: 'outage' }),
  'answer-lost': [{ path: CASH_PATHS.redeem, occurrence: 1, action: { kind: 'drop-after' } }],
}

const PREFIX = 'practice'
const idOf = (condition: CentralCondition, index: number): string => `${PREFIX} ${condition} ${index}`
const ActiveRules = z.object({
  rules: z.array(z.object({ id: z.string(), occurrence: z.int().optional(), struck: z.int() })),
})

const PageAnswer = z.object({ status: z.int() })

const PATIENCE_MS = 2_000

export function createTrainingServices(controlUrl: string): TrainingServices {
  const ask = async (method: 'GET' | 'DELETE' | 'POST', body?: object, path = '/faults'): Promise<Response> => {
    const response = await fetch(controlUrl + path, {
      method,
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
    })
    if (!response.ok) throw new Error(`the control port answered ${response.status}`)
    return response
  }
  return {
    async condition() {
      const received: unknown = await ask('GET')
        .then((response) => response.json())
        .catch(() => null)
      const active = ActiveRules.safeParse(received)
      if (!active.success) return null
      // A fault for one request is inactive after it was applied.
      const rule = active.data.rules.find(
        ({ id, occurrence, struck }) => id.startsWith(`${PREFIX} `) && !(occurrence !== undefined && struck > 0),
      )
      return rule === undefined ? 'well' : CentralCondition.parse(rule.id.split(' ')[1])
    },
    async set(condition) {
      await ask('DELETE')
      const rules = RULES[condition].map((rule, index) => ({ id: idOf(condition, index), ...rule }))
      if (rules.length > 0) await ask('POST', { rules })
    },
    async phone(act) {
      return PageAnswer.parse(await (await ask('POST', act, '/phone')).json()).status
    },
  }
}
