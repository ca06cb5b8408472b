import { afterAll, beforeAll, beforeEach } from 'vitest'
import { startCentral, type Central, type CentralProcess } from './central-process.ts'

export type { Central, FaultRule, ReceivedRequest } from './central-process.ts'

/**
 * One set of central services for all tests of a file. Faults, the request list and the clock are put back before each.
 */
export function useCentral(): Central {
  let running: CentralProcess | undefined
  const central = (): CentralProcess => {
    if (!running) throw new Error('the central services are not started yet')
    return running
  }
  beforeAll(async () => {
    running = await startCentral()
  })
  beforeEach(() => central().calm())
  afterAll(() => running?.stop())
  return {
    get url() {
      return central().url
    },
    get tokenUrl() {
      return central().tokenUrl
    },
    get memberSignInUrl() {
      return central().memberSignInUrl
    },
    get revocationUrl() {
      return central().revocationUrl
    },
    get issuer() {
      return central().issuer
    },
    get controlUrl() {
      return central().controlUrl
    },
    get clientId() {
      return central().clientId
    },
    get clientSecret() {
      return central().clientSecret
    },
    faults: (...rules) => central().faults(...rules),
    clearFaults: () => central().clearFaults(),
    balances: (collectorNumber) => central().balances(collectorNumber),
    account: (collectorNumber) => central().account(collectorNumber),
    problems: () => central().problems(),
    requests: (path) => central().requests(path),
    reached: (path, count, stage) => central().reached(path, count, stage),
    moveClock: (offsetMs) => central().moveClock(offsetMs),
    revokeTokens: () => central().revokeTokens(),
    memberToken: (collectorNumber) => central().memberToken(collectorNumber),
  }
}
