import { afterAll, beforeAll, beforeEach } from 'vitest'
import { Central } from '../rig/central.ts'

export type { Central, FaultRule, ReceivedRequest } from '../rig/central.ts'

/**
 * Reference services shared by all tests of a file. Each test begins without faults, with an empty request list and the
 * clock reset.
 */
export function useCentral(): Central {
  const central = new Central()
  beforeAll(() => central.start())
  beforeEach(() => central.reset())
  afterAll(() => central.stop())
  return central
}
