import { expect, test } from 'vitest'
import { createEscPosProtocol } from './status.ts'

const wellSent = (): Promise<void> => Promise.resolve()

test('a late ESC/POS answer for a job that timed out is not taken as the answer of the next job', async () => {
  const protocol = createEscPosProtocol(() => undefined)
  const first = protocol.finish(wellSent, 20)
  const second = protocol.finish(wellSent, 10_000)
  expect(await first).toBeNull()
  protocol.push(Uint8Array.of(0x00))
  expect(await second).toBe('worked-through')
})

test('the bytes of an unsolicited ESC/POS status are not taken as the answer that confirms a job', async () => {
  const protocol = createEscPosProtocol(() => undefined)
  const finished = protocol.finish(wellSent, 10_000)
  protocol.push(Uint8Array.of(0x14, 0x00))
  protocol.begin()
  protocol.push(Uint8Array.of(0x14, 0x00, 0x00, 0x0f, 0x0c))
  expect(await finished).toBe('paper-out')
})
