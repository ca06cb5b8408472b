import { expect, test } from 'vitest'
import { createWireTrace } from './channel.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1')

test('the trace of a device’s bytes shows the structure of a message without its content', () => {
  const trace = createWireTrace(() => 0)
  trace.push(bytes('\x02%B4111111111111111^Tremblay/ALEX^2912?'))
  trace.push(bytes(';4111111111111111=2912?\r\xe9'))
  expect(trace.messages.map(({ text }) => text)).toEqual([
    '<STX>%B################^aaaaaaaa/aaaa^####?;################=####?<CR>a',
  ])
})

test('the trace of a device that never pauses is limited in size', () => {
  let now = 0
  const trace = createWireTrace(() => now)
  for (let count = 0; count < 50; count += 1) trace.push(bytes('x'.repeat(100)))
  expect(trace.messages.map(({ text }) => text)).toEqual([`${'a'.repeat(160)}…`])
  now = 10_000
  trace.push(bytes('y'))
  expect(trace.messages.map(({ text }) => text)).toEqual([`${'a'.repeat(160)}…`, 'a'])
})
