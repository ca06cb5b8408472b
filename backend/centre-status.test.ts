import { expect, test } from 'vitest'
import type { CentreState } from '../contracts/api/diagnostics.ts'
import type { Answer } from './central/transport.ts'
import { createCentreStatus } from './centre-status.ts'

const answer = (status: number, body: string): Answer => ({
  kind: 'answer',
  status,
  headers: new Headers(),
  bytes: Buffer.from(body),
  latencyMs: 1,
  requestHeaders: {},
})

test('nobody was asked: unknown, and nobody is told', () => {
  const centre = createCentreStatus()
  expect(centre.state).toBe('unknown')
})

test.each<readonly [what: string, answer: Answer, state: CentreState]>([
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
  ['nobody at that address', { kind: 'no-token', cause: 'no-such-call', reason: 'HTTP 404' }, 'offline'],
  ['a token service that does not answer', { kind: 'no-token', cause: 'unreachable', reason: 'ENOTFOUND' }, 'offline'],
])('%s: %s', (_what, heard, state) => {
  const centre = createCentreStatus()
  const told: CentreState[] = []
  centre.onChange((next) => {
    told.push(next)
  })
  centre.heard(heard)
  centre.heard(heard)
  expect([centre.state, told]).toEqual([state, [state]])
})

test('one path that leads nowhere leaves what the other calls said: neither flapping nor a refused secret', () => {
  const centre = createCentreStatus()
  const told: CentreState[] = []
  centre.onChange((next) => {
    told.push(next)
  })
  for (const heard of [
    answer(200, '{"responseCode":"0000"}'),
    { kind: 'no-token', cause: 'no-such-call', reason: 'HTTP 404' } as const,
  ])
    centre.heard(heard)
  expect([told, centre.refusedSince]).toEqual([['online'], null])
})
