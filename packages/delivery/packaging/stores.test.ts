import { copyFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startProfileChecker } from '../commands/check-profile.ts'
import { checkStores } from './stores.ts'

const STORES = fileURLToPath(new URL('../../../stores', import.meta.url))

test('each profile to package is checked separately; two profiles of one store are both broken', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-stores-'))
  const checker = startProfileChecker()
  onTestFinished(() => {
    checker.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const at = (name: string): string => path.join(folder, name)
  copyFileSync(path.join(STORES, 'training-catalog.csv'), at('training-catalog.csv'))
  const profile = readFileSync(path.join(STORES, 'training.yaml'), 'utf8')
  const put = (name: string, text: string): void => writeFileSync(at(name), text)
  put('1.yaml', profile)
  put('2.yaml', profile.replace('TRAIN-001', 'TRAIN-002'))
  put('3.yaml', profile)
  put('4.yaml', profile.replace('TRAIN-001', '../out'))
  const time = new Date('2026-11-20T10:00:00Z')
  for (const name of ['2.yaml', 'training-catalog.csv']) utimesSync(at(name), time, time)

  let done = 0
  const checked = await checkStores(folder, checker, () => (done += 1))
  expect(done).toBe(4)
  expect(checked.map(({ kind }) => kind)).toEqual(['broken', 'good', 'broken', 'broken'])
  expect(checked[1]).toMatchObject({ store: 'TRAIN-002', mode: 'training', lanes: ['01'], newest: time })
  expect(checked[0]).toMatchObject({
    mistakes: [expect.stringMatching(/1\.yaml:\d+:3 {2}store\.id: TRAIN-001 is also the store of .*3\.yaml$/)],
  })
  expect(checked[3]).toMatchObject({ mistakes: [expect.stringMatching(/4\.yaml:.*store\.id/)] })
})
