import { expect, test } from 'vitest'
import { RefusalAnswer } from './enrolment.ts'

test('the answer that refuses an enrolment may name the store of the code, but not with control characters', () => {
  const answer = (store: string) => ({
    refused: 'other-lane',
    belongsTo: { store, lane: '02' },
    serverTime: '2026-11-26T08:00:00.000Z',
  })
  expect(RefusalAnswer.safeParse(answer('4417 – Québec')).success).toBe(true)
  for (const forged of ['\u001b[2J\u001b]0;owned\u0007', 'a\nCode accepted', '\u202e7144', 'x'.repeat(81)])
    expect(RefusalAnswer.safeParse(answer(forged)).success, forged).toBe(false)
})
