import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { defaultDataFolder, refuseUnnamedLane } from './places.ts'

test('a start on a store’s second computer requires the lane option, because it would sell as the first lane', () => {
  const home = mkdtempSync(path.join(tmpdir(), 'milepost-home-'))
  onTestFinished(() => {
    rmSync(home, { recursive: true, force: true })
  })
  const outline = { mode: 'production', storeId: '1001', lanes: ['01', '02'] } as const
  const start =
    (lane: string | null = null, data: string | null = null) =>
    () =>
      refuseUnnamedLane(outline, { lane, data }, home)
  expect(start()).not.toThrow()
  mkdirSync(defaultDataFolder('1001', '02', home), { recursive: true })
  expect(start()).toThrow('This computer has lane 02 of the store. Name the lane: --lane 02, for example.')
  expect(start('01')).not.toThrow()
  expect(start(null, '/elsewhere')).not.toThrow()
  mkdirSync(defaultDataFolder('1001', '01', home))
  expect(start()).not.toThrow()
})
