import { expect, test } from 'vitest'
import type { TerminalEvent } from '../../contracts/core/events.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const CODE = 'STAFF-00A1B2C3'
type EventOfType<Type extends TerminalEvent['type']> = Extract<TerminalEvent, { type: Type }>

const scan = async <Type extends TerminalEvent['type']>(
  harness: TerminalHarness,
  type: Type,
  code?: string,
): Promise<EventOfType<Type>> => {
  await harness.call('POST', '/api/devices/keys', { text: CODE })
  return harness.event(
    (event): event is EventOfType<Type> =>
      event.type === type && (code === undefined || ('code' in event && event.code === code)),
  )
}

test('a person signs in by a badge until it is deactivated; no staff row or audit entry has its number', async () => {
  const harness = await openTerminalHarness(central, { staffId: 'sam', signIn: { badges: true } })
  const { stream } = harness
  await harness.call('POST', '/api/input/claims', { what: 'badges', claimed: true, stream })
  const { readId } = await scan(harness, 'badge-claimed')
  const given = await harness.call('PUT', '/api/people/alex/badge', { readId })
  expect(given.body['people']).toContainEqual(expect.objectContaining({ id: 'alex', badge: 'active' }))
  expect(await harness.refused('PUT', '/api/people/marie/badge', { readId }), 'a read can be used once').toBe(
    'badge-unknown',
  )

  await harness.call('POST', '/api/input/claims', { what: 'badges', claimed: false, stream })
  await scan(harness, 'scan-refused', 'badge-not-now')
  await harness.call('POST', '/api/sign-out')
  const presented = await scan(harness, 'badge-presented')
  expect(
    (await harness.call('POST', '/api/sign-in/badge', { readId: presented.readId, stream })).body['staff'],
  ).toMatchObject({
    id: 'alex',
  })

  await harness.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999', stream })
  await harness.call('POST', '/api/people/alex/badge/deactivate')
  await harness.call('POST', '/api/sign-out')
  await scan(harness, 'scan-refused', 'badge-inactive')
  const stored = JSON.stringify([harness.read('SELECT * FROM staff'), harness.read('SELECT * FROM audit_entry')])
  expect(stored).toContain('badge-set')
  expect(stored).not.toContain('00A1B2C3')
})

test('a badge read in a store that does not use staff badges is refused with that reason', async () => {
  const harness = await openTerminalHarness(central)
  await harness.call('POST', '/api/sign-out')
  expect((await scan(harness, 'scan-refused', 'badges-off')).messages['en-CA']).toMatch(/PIN/)
})
