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

test('nobody was asked: unknown, and nobody is told', () => {
  const central = createCentralStatus()
  expect(central.state).toBe('unknown')
})

test.each<readonly [what: string, answer: Answer, state: CentralState]>([
  ['an approval', answer(200, '{"responseCode":"0000"}'), 'online'],
  ['a refusal', answer(202, '{"responseCode":"0051"}'), 'online'],
  ['an answer of the issuance service', answer(200, '{"issuances":[]}'), 'online'],
  ['an error at the program', answer(500, '{"responseCode":"0096"}'), 'online'],
  ['a planned outage, whatever its status', answer(200, '{"responseCode":"0092"}'), 'outage'],
  ['a time-out at the switch', answer(408, '{"responseCode":"0008"}'), 'offline'],
  ['an outage that a gateway tells of', answer(503, '<html>'), 'outage'],
  ['a gateway that found nobody', answer(502, '<html>'), 'offline'],
  ['a gateway that waited in vain', answer(504, ''), 'offline'],
  ['an error at the program, whatever its status', answer(503, '{"responseCode":"0096"}'), 'online'],
  ['nobody there', { kind: 'never-sent', reason: 'ECONNREFUSED' }, 'offline'],
  ['no answer', { kind: 'unknown', reason: 'no answer within 300 ms' }, 'offline'],
  ['a secret that was refused', { kind: 'no-token', cause: 'refused', reason: 'invalid_client' }, 'secret-refused'],
  ['nobody at that address', answer(404, '<html>'), 'offline'],
  ['a token service that does not answer', { kind: 'no-token', cause: 'unreachable', reason: 'ENOTFOUND' }, 'offline'],
])('%s: %s', (_what, received, state) => {
  const central = createCentralStatus()
  const told: CentralState[] = []
  central.onChange((next) => {
    told.push(next)
  })
  central.onResponse('cash', received)
  central.onResponse('cash', received)
  expect([central.state, told]).toEqual([state, [state]])
})

test('one path that leads nowhere leaves what the other calls said: neither flapping nor a refused secret', () => {
  const central = createCentralStatus()
  const told: CentralState[] = []
  central.onChange((next) => {
    told.push(next)
  })
  for (const received of [answer(200, '{"responseCode":"0000"}'), answer(404, '<html>')])
    central.onResponse('cash', received)
  expect([told, central.refusedSince]).toEqual([['online'], null])
})
