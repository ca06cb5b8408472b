import { expect, test } from 'vitest'
import { LastLaneCheck } from '../../../contracts/operations/lane-check-page.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

test('a manager’s check of a selling lane finds the running terminal, its window and its accepted secret', async () => {
  const here = await openTerminalHarness(central, { staffId: 'sam' })
  const last = async () => LastLaneCheck.parse((await here.call('GET', '/api/diagnostics/lane')).body).check
  expect(await last()).toBeNull()
  const begun = LastLaneCheck.parse((await here.call('POST', '/api/diagnostics/lane', {})).body).check
  expect(begun).toMatchObject({ endedAt: null })
  const joined = LastLaneCheck.parse((await here.call('POST', '/api/diagnostics/lane', {})).body).check
  expect(joined?.id).toBe(begun?.id)
  await here.ring('1021')
  await expect.poll(async () => (await last())?.endedAt, { timeout: 60_000 }).toEqual(expect.any(String))
  const ended = await last()
  const codesOf = (section: string) =>
    ended?.parts.find(({ check }) => check === section)?.findings.map(({ code }) => code)
  expect(codesOf('folder')).toContain('terminal-runs')
  expect(codesOf('window')).toEqual(['window-here'])
  expect(codesOf('clock')?.at(-1)).toBe('clock-right')
  expect(codesOf('authorization')).toEqual(['secret-accepted'])
  expect(codesOf('network')).toEqual(expect.arrayContaining(['place-reached']))
  expect(codesOf('database')).toEqual(['database-sound'])
  expect(codesOf('profile')).toEqual(['profile-good', 'profile-training'])
  expect(JSON.stringify(ended)).not.toContain(central.clientSecret)
})

test('a cashier can neither start nor read a lane check', async () => {
  const here = await openTerminalHarness(central, { staffId: 'alex' })
  expect(await here.refused('POST', '/api/diagnostics/lane', {})).toBe('manager-required')
  expect(await here.refused('GET', '/api/diagnostics/lane')).toBe('manager-required')
})
