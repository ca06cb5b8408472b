import type { CentralState } from '../../../contracts/operations/diagnostics.ts'
import { CashResponse } from '../../../contracts/central/cash.ts'
import { gatewaySays, jsonOf, namesCode } from './wire.ts'
import type { Answer, CentralService } from './transport.ts'
import { systemClock, type Clock } from '../clock.ts'

/**
 * What the program's services last had to say, to a call of any kind: the one place that every screen's words come
 * from.
 */
export interface CentralStatus {
  readonly state: CentralState
  /** Since when the services, or whoever gives tokens, refuse this lane, in epoch ms; null while they do not. */
  readonly refusedSince: number | null
  onResponse(service: CentralService, answer: Answer): void
  onChange(listener: (state: CentralState) => void): void
}

/** An outage that was announced, and a time-out that the switch itself tells of (specification 3 §7.2). */
const STATES: Readonly<Record<string, CentralState>> = { '0092': 'outage', '0008': 'offline' }

/** In no table of specification 3: no service is at that path, or none that takes the method. */
const NO_SUCH_CALL: ReadonlySet<number> = new Set([404, 405, 410])
const leadsNowhere = (service: CentralService, answer: Answer): boolean =>
  (service === 'cash' || service === 'issuance') &&
  answer.kind === 'answer' &&
  NO_SUCH_CALL.has(answer.status) &&
  !namesCode('any', answer.bytes)

function stateAfter(service: CentralService, answer: Answer, before: CentralState): CentralState {
  switch (answer.kind) {
    case 'never-sent':
    case 'unknown':
      return 'offline'
    case 'no-token':
      return answer.cause === 'refused' ? 'secret-refused' : 'offline'
    case 'answer': {
      const code = CashResponse.safeParse(jsonOf(answer.bytes)).data?.responseCode
      // One path that leads nowhere says nothing about the calls that were answered.
      if (leadsNowhere(service, answer)) return before === 'online' ? before : 'offline'
      return (code === undefined ? gatewaySays(answer.status) : STATES[code]) ?? 'online'
    }
  }
}

export function createCentralStatus(clock: Pick<Clock, 'now'> = systemClock): CentralStatus {
  let state: CentralState = 'unknown'
  let since = clock.now()
  const listeners: ((state: CentralState) => void)[] = []
  return {
    get state() {
      return state
    },
    get refusedSince() {
      return state === 'secret-refused' ? since : null
    },
    onResponse(service, answer) {
      const next = stateAfter(service, answer, state)
      if (next === state) return
      state = next
      since = clock.now()
      for (const listener of listeners) listener(next)
    },
    onChange: (listener) => {
      listeners.push(listener)
    },
  }
}
