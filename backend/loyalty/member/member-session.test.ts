import { expect, test } from 'vitest'
import type { MemberSession } from '../../../contracts/loyalty/member.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { submitSignInForm } from '../../../packages/lab/testing/phone.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const FINE = '80000000011'
const POOR = '80000000055'

type SessionEvent = Extract<TerminalEvent, { type: 'member-session' }>
type State<Name extends MemberSession['state']> = Extract<MemberSession, { state: Name }>

async function session<Name extends MemberSession['state']>(
  harness: TerminalHarness,
  state: Name,
  why?: string,
): Promise<State<Name>> {
  const event = await harness.event(
    (candidate): candidate is SessionEvent =>
      candidate.type === 'member-session' &&
      candidate.session?.state === state &&
      (candidate.session.state !== 'ended' || why === undefined || candidate.session.why === why),
  )
  return event.session as State<Name>
}

async function begin(harness: TerminalHarness): Promise<{ saleId: string; waiting: State<'waiting'> }> {
  await harness.ring('1021')
  const { id: saleId } = await harness.swipe('fine')
  const asked = await harness.call('POST', `/api/sales/${saleId}/member-session`, {})
  expect(asked.body).toMatchObject({ offered: true, session: { saleId } })
  return { saleId, waiting: await session(harness, 'waiting') }
}

const now = async (harness: TerminalHarness): Promise<unknown> =>
  ((await harness.call('GET', '/api/member-session')).body as unknown as { session: unknown }).session

test('a member sign-in shows a code for the member’s phone, polls at once, and signs the collector in', async () => {
  const harness = await openTerminalHarness(central)
  const { saleId, waiting } = await begin(harness)
  expect(waiting.pageWithCode).toContain(waiting.userCode)
  expect(Date.parse(waiting.expiresAt)).toBeGreaterThan(Date.now())
  await central.reached('/oidc/token', 2)
  const page = await (await fetch(waiting.pageWithCode)).text()
  expect(page).toContain('lane / caisse 01')
  expect(await submitSignInForm(waiting, { collectorNumber: FINE })).toBe(200)
  expect(await session(harness, 'signed-in')).toMatchObject({ saleId })
  expect(await now(harness)).toMatchObject({ state: 'signed-in' })
})

test('a member sign-in ends when the person on the phone is not the collector', async () => {
  const harness = await openTerminalHarness(central)
  const { waiting } = await begin(harness)
  expect(await submitSignInForm(waiting, { collectorNumber: POOR })).toBe(200)
  expect(await session(harness, 'ended')).toMatchObject({ why: 'someone-else' })
})

test('a member sign-in ends when the member refuses on the phone, and another code can be requested', async () => {
  const harness = await openTerminalHarness(central)
  const { saleId, waiting } = await begin(harness)
  expect(await submitSignInForm(waiting, { collectorNumber: FINE, decision: 'deny' })).toBe(200)
  expect(await session(harness, 'ended')).toMatchObject({ why: 'denied' })
  await harness.call('POST', `/api/sales/${saleId}/member-session`, {})
  const another = await harness.event(
    (event): event is SessionEvent =>
      event.type === 'member-session' &&
      event.session?.state === 'waiting' &&
      event.session.userCode !== waiting.userCode,
  )
  expect(await submitSignInForm(another.session as State<'waiting'>, { collectorNumber: FINE })).toBe(200)
  await session(harness, 'signed-in')
})

test('a member sign-in ends when another card is swiped or the sale is cancelled', async () => {
  const harness = await openTerminalHarness(central)
  const { saleId, waiting } = await begin(harness)
  expect(await submitSignInForm(waiting, { collectorNumber: FINE })).toBe(200)
  await session(harness, 'signed-in')
  await harness.swipe('poor')
  expect(await now(harness)).toBeNull()
  await harness.call('POST', `/api/sales/${saleId}/member-session`, {})
  await session(harness, 'waiting')
  const sale = await harness.current()
  expect((await harness.call('POST', `/api/sales/${saleId}/cancel`, { version: sale?.version })).status).toBe(200)
  expect(await now(harness)).toBeNull()
  expect(await harness.refused('POST', `/api/sales/${saleId}/member-session`, {})).toBe('sale-not-open')
})

test('a member’s token is revoked at the identity provider when the sale ends', async () => {
  const harness = await openTerminalHarness(central)
  const { saleId, waiting } = await begin(harness)
  expect(await submitSignInForm(waiting, { collectorNumber: FINE })).toBe(200)
  await session(harness, 'signed-in')
  const sale = await harness.current()
  await harness.call('POST', `/api/sales/${saleId}/cancel`, { version: sale?.version })
  await central.reached('/oidc/token/revocation', 1)
})

test('an unavailable identity provider is reported, and the sale continues', async () => {
  const harness = await openTerminalHarness(central)
  await harness.ring('1021')
  const { id: saleId } = await harness.swipe('fine')
  await central.faults({ path: '/oidc/device/auth', times: 1, action: { kind: 'answer', status: 503, body: {} } })
  await harness.call('POST', `/api/sales/${saleId}/member-session`, {})
  expect(await session(harness, 'ended')).toMatchObject({ why: 'unreachable' })
  expect((await harness.ring('1021')).lines).toMatchObject([{ quantity: 2 }])
})

test('a member sign-in on a sale without a collector is refused', async () => {
  const harness = await openTerminalHarness(central)
  const { id } = await harness.ring('1021')
  expect(await harness.refused('POST', `/api/sales/${id}/member-session`, {})).toBe('member-missing')
})
