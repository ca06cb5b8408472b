import { afterAll, beforeAll, beforeEach } from 'vitest'
import { startCentre, type Centre, type CentreProcess } from './centre-process.ts'

export type { Centre, FaultRule, ReceivedRequest } from './centre-process.ts'

/** One centre for all tests of a file. Faults, the request list and the clock are put back before each. */
export function useCentre(): Centre {
  let running: CentreProcess | undefined
  const centre = (): CentreProcess => {
    if (!running) throw new Error('the central services are not started yet')
    return running
  }
  beforeAll(async () => {
    running = await startCentre()
  })
  beforeEach(() => centre().calm())
  afterAll(() => running?.stop())
  return {
    get url() {
      return centre().url
    },
    get tokenUrl() {
      return centre().tokenUrl
    },
    get controlUrl() {
      return centre().controlUrl
    },
    get clientId() {
      return centre().clientId
    },
    get clientSecret() {
      return centre().clientSecret
    },
    faults: (...rules) => centre().faults(...rules),
    balances: (collectorNumber) => centre().balances(collectorNumber),
    account: (collectorNumber) => centre().account(collectorNumber),
    problems: () => centre().problems(),
    requests: (path) => centre().requests(path),
    reached: (path, count, stage) => centre().reached(path, count, stage),
    moveClock: (offsetMs) => centre().moveClock(offsetMs),
    revokeTokens: () => centre().revokeTokens(),
  }
}
