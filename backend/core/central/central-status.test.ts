import { expect, test } from 'vitest'
import type { CentralState } from '../../../contracts/operations/diagnostics.ts'
import type { Answer } from './transport.ts'
import { createCentralStatus } from './central-status.ts'

const answer = (status: number, body: string, headers: Record<string, string> = {}): Answer => ({
  kind: 'answer',
  status,
  headers: new Headers(headers),
  bytes: Buffer.from(body),
  latencyMs: 1,
  requestHeaders: {},
})

test('the state of the services is unknown before the first call', () => {
  const central = createCentralStatus()
  expect(central.state).toBe('unknown')
})

test.each<readonly [what: string, answer: Answer, state: CentralState]>([
  ['an approval', answer(200, '{"responseCode":"0000"}'), 'online'],
  ['a refusal', answer(202, '{"responseCode":"0051"}'), 'online'],
  ['an answer of the issuance service', answer(200, '{"issuances":[]}'), 'online'],
  ['an error at the program', answer(500, '{"responseCode":"0096"}'), 'online'],
  ['a planned outage with another status', answer(200, '{"responseCode":"0092"}'), 'outage'],
  ['a time-out at the switch', answer(408, '{"responseCode":"0008"}'), 'offline'],
  ['an outage reported by a gateway', answer(503, '<html>'), 'outage'],
  ['a gateway without a reachable service', answer(502, '<html>'), 'offline'],
  ['a gateway timeout', answer(504, ''), 'offline'],
  ['an error at the program with another status', answer(503, '{"responseCode":"0096"}'), 'online'],
  ['a refused connection', { kind: 'never-sent', reason: 'ECONNREFUSED' }, 'offline'],
  ['no answer', { kind: 'unknown', reason: 'no answer within 300 ms' }, 'offline'],
  ['a secret that was refused', { kind: 'no-token', cause: 'refused', reason: 'invalid_client' }, 'secret-refused'],
  ['a missing endpoint', answer(404, '<html>'), 'offline'],
  ['a token service that does not answer', { kind: 'no-token', cause: 'unreachable', reason: 'ENOTFOUND' }, 'offline'],
])('after %s, the state of the services is %s', (_case, received, state) => {
  const central = createCentralStatus()
  const states: CentralState[] = []
  central.onChange((next) => {
    states.push(next)
  })
  central.onResponse('cash', received)
  central.onResponse('cash', received)
  expect([central.state, states]).toEqual([state, [state]])
})

test('after a good answer, a missing endpoint changes neither the state of the services nor of the secret', () => {
  const central = createCentralStatus()
  const states: CentralState[] = []
  central.onChange((next) => {
    states.push(next)
  })
  for (const received of [answer(200, '{"responseCode":"0000"}'), answer(404, '<html>')])
    central.onResponse('cash', received)
  expect([states, central.refusedSince]).toEqual([['online'], null])
})
