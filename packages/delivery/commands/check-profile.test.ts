import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { checkProfile } from './check-profile.ts'

const STORES = path.join(import.meta.dirname, '../../..', 'stores')

it.each(['training.yaml', 'example.yaml'])('the profile %s and its catalog are valid and consistent', async (name) => {
  expect(await checkProfile(path.join(STORES, name))).toBe(null)
})

it('the profile check reports a quick key for an item that is not in the catalog, with its position', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-check-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
  })
  cpSync(path.join(STORES, 'example-catalog.csv'), path.join(folder, 'example-catalog.csv'))
  const file = path.join(folder, 'store.yaml')
  writeFileSync(file, readFileSync(path.join(STORES, 'example.yaml'), 'utf8').replace('"1018"', '"10180"'))
  expect(await checkProfile(file)).toBe(
    `${file}:45:75  catalog.departments[7].quick[0]: no item of the catalog has the SKU “10180”; correct it ` +
      'here or in the catalog',
  )
})
