import { expect, test } from 'vitest'
import { createEscPosTalk } from './status.ts'

const wellSent = (): Promise<void> => Promise.resolve()

test('an earlier job that gives up waiting does not take the answer of the next one', async () => {
  const talk = createEscPosTalk(() => undefined)
  const first = talk.finish(wellSent, 20)
  const second = talk.finish(wellSent, 10_000)
  expect(await first).toBeNull()
  talk.push(Uint8Array.of(0x00))
  expect(await second).toBe('worked-through')
})

test('status that a printer sends unasked is passed over', async () => {
  const talk = createEscPosTalk(() => undefined)
  const finished = talk.finish(wellSent, 10_000)
  talk.push(Uint8Array.of(0x14, 0x00))
  talk.begin()
  talk.push(Uint8Array.of(0x14, 0x00, 0x00, 0x0f, 0x0c))
  expect(await finished).toBe('paper-out')
})
