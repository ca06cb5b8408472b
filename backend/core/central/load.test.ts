import { expect, test } from 'vitest'
import { createLoad } from './load.ts'
import type { Answer, CentralService } from './transport.ts'

const overloaded: Answer = {
  kind: 'answer',
  status: 503,
  headers: new Headers({ 'retry-after': '30' }),
  bytes: new Uint8Array(),
  latencyMs: 20,
  requestHeaders: {},
}
const HOSTS = { cash: 'partners', issuance: 'partners', offers: 'offers', offerState: '', history: '' } as const

test('services on one host share a throttle, which does not hold back calls to other hosts', () => {
  let now = 0
  const load = createLoad({
    clock: { now: () => now, monotonic: () => now },
    rng: { fraction: () => 0.5 },
    hostOf: (service: CentralService) => HOSTS[service],
  })
  load.record('cash', overloaded)
  expect(load.admits('issuance', 'preview')).toBe(false)
  expect(load.admits('offers', 'background')).toBe(true)
  now = 30_000
  expect(load.admits('issuance', 'preview')).toBe(true)
})
