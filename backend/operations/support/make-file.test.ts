import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../../core/http/testing.ts'
import { makeSupportFile } from './make-file.ts'

test('a store id that looks like a key is left out of the support file', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'milepost-support-'))
  onTestFinished(() => {
    rmSync(dataFolder, { recursive: true, force: true })
  })
  const made = async (store: string) =>
    makeSupportFile({
      folder: { dataFolder, db: await openTestDatabase(), now: Date.parse('2026-11-26T12:00:00Z') },
      version: '0.1.0',
      owner: { store, lane: '01', mode: 'production' },
      running: null,
      held: [],
    })
  const keyLike = await made('NorthstarMontrealCentre4417')
  expect(keyLike).toMatchObject({ kind: 'made', file: { program: { store: null, lane: '01' } } })
  expect(await made('4417')).toMatchObject({ kind: 'made', file: { program: { store: '4417' } } })
})
