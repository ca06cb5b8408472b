import { expect, test } from 'vitest'
import type { MemberSession } from '../../../contracts/loyalty/member.ts'
import { TrainingPanel } from '../../../contracts/operations/training.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

type SessionEvent = Extract<TerminalEvent, { type: 'member-session' }>

const until = (harness: TerminalHarness, state: MemberSession['state']): Promise<SessionEvent> =>
  harness.event((event): event is SessionEvent => event.type === 'member-session' && event.session?.state === state)

async function waiting(options: TerminalHarnessOptions = {}): Promise<TerminalHarness> {
  const harness = await openTerminalHarness(central, options)
  await harness.ring('1021')
  const { id } = await harness.swipe('fine')
  await harness.call('POST', `/api/sales/${id}/member-session`, {})
  await until(harness, 'waiting')
  return harness
}

const panelOf = async (harness: TerminalHarness): Promise<TrainingPanel> =>
  TrainingPanel.parse((await harness.call('GET', '/api/training/panel')).body)

test.each([
  ['sign-in', 'signed-in', undefined],
  ['someone-else', 'ended', 'someone-else'],
  ['decline', 'ended', 'denied'],
] as const)('a trainee answers a sign-in on the simulated phone of the customer: %s', async (does, state, why) => {
  const harness = await waiting()
  const { status, body } = await harness.call('POST', '/api/training/phone', { does })
  expect([status, TrainingPanel.parse(body).phone]).toEqual([200, true])
  const { session } = await until(harness, state)
  expect(session?.state === 'ended' ? session.why : undefined).toBe(why)
})

test('a sign-in on the simulated phone is refused without a code, and with a code that was already used', async () => {
  const harness = await openTerminalHarness(central)
  expect(await harness.refused('POST', '/api/training/phone', { does: 'sign-in' })).toBe('member-code-missing')
  const lane = await waiting()
  await lane.call('POST', '/api/training/phone', { does: 'sign-in' })
  expect(await lane.refused('POST', '/api/training/phone', { does: 'sign-in' })).toBe('training-phone-refused')
})

test('reference services without a control port have no simulated phone; an unreachable port is reported', async () => {
  const without = await waiting({ controlUrl: null })
  expect((await panelOf(without)).phone).toBe(false)
  expect(await without.refused('POST', '/api/training/phone', { does: 'sign-in' })).toBe('training-only')
  const disconnected = await waiting({ controlUrl: 'http://127.0.0.1:9' })
  expect(await disconnected.refused('POST', '/api/training/phone', { does: 'sign-in' })).toBe('training-central-away')
})
