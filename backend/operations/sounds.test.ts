import { expect, test } from 'vitest'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()

test('the volume of a lane survives a restart, even when it is 0, and invalid volumes are rejected', async () => {
  const before = await openTerminalHarness(central)
  expect((await before.call('GET', '/api/sounds')).body).toEqual({ volume: 6 })
  expect((await before.call('PUT', '/api/sounds', { volume: 0 })).body).toEqual({ volume: 0 })
  for (const volume of [-1, 11, 2.5, 'loud'])
    expect(await before.refused('PUT', '/api/sounds', { volume })).toBe('body-invalid')
  await before.close()
  const after = await openTerminalHarness(central, { folder: before.folder })
  expect((await after.call('GET', '/api/sounds')).body).toEqual({ volume: 0 })
})
