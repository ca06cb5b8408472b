import type { CentralState } from '../../../contracts/operations/diagnostics.ts'
import { CashResponse } from '../../../contracts/central/cash.ts'
import { gatewayState, jsonOf, namesCode } from './wire.ts'
import type { Answer, CentralService } from './transport.ts'
import { systemClock, type Clock } from '../clock.ts'

/** State of the program's services according to the last answer to any call. All screens read it here. */
export interface CentralStatus {
  readonly state: CentralState
  /** Since when the services or the identity provider refuse this lane's secret, epoch ms; null in another state. */
  readonly refusedSince: number | null
  onResponse(service: CentralService, answer: Answer): void
  onChange(listener: (state: CentralState) => void): void
}

/**
 * Response codes of an announced outage (0092) and of a timeout reported by the switch (0008; specification 3 §7.2).
 */
const STATES: Readonly<Record<string, CentralState>> = { '0092': 'outage', '0008': 'offline' }

/** HTTP statuses outside the tables of specification 3: the endpoint or its method does not exist. */
const NO_SUCH_CALL: ReadonlySet<number> = new Set([404, 405, 410])
const isMissingEndpoint = (service: CentralService, answer: Answer): boolean =>
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
      if (isMissingEndpoint(service, answer)) return before === 'online' ? before : 'offline'
      return (code === undefined ? gatewayState(answer.status) : STATES[code]) ?? 'online'
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
