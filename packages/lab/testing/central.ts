import { afterAll, beforeAll, beforeEach } from 'vitest'
import { Central } from '../rig/central.ts'

export type { Central, FaultRule, ReceivedRequest } from '../rig/central.ts'

/**
 * One set of central services for all tests of a file. Faults, the request list and the clock are put back before each.
 */
export function useCentral(): Central {
  const central = new Central()
  beforeAll(() => central.start())
  beforeEach(() => central.calm())
  afterAll(() => central.stop())
  return central
}
