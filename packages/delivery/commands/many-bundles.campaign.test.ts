import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { readBundle } from '../bundle.ts'
import { trustedIn } from '../trust.ts'
import { startProfileChecker } from './check-profile.ts'
import { openKeyring, type Keyring } from './keyring.ts'
import { makeBundles, reportOf, type StoreOutcome } from './many-bundles.ts'

const STORES = fileURLToPath(new URL('../../../stores', import.meta.url))
let folder: string
let out: string
let keyring: Keyring

beforeEach(() => {
  const top = mkdtempSync(path.join(tmpdir(), 'milepost-'))
  onTestFinished(() => {
    rmSync(top, { recursive: true, force: true })
  })
  folder = path.join(top, 'stores')
  out = path.join(top, 'out')
  mkdirSync(folder)
  copyFileSync(path.join(STORES, 'training-catalog.csv'), path.join(folder, 'training-catalog.csv'))
  const keys = path.join(top, 'keys')
  openKeyring(keys, STORES, null).add('head office')
  keyring = openKeyring(keys, STORES, null)
})

const TRAINING = readFileSync(path.join(STORES, 'training.yaml'), 'utf8')
const store = (file: string, id: string, change = (text: string): string => text): void => {
  writeFileSync(path.join(folder, `${file}.yaml`), change(TRAINING.replace('TRAIN-001', id)))
}

async function make(): Promise<StoreOutcome[]> {
  const checker = startProfileChecker()
  const input = { madeAt: new Date('2026-11-25T12:00:00Z'), sequence: 7, activeFrom: null, expiresAt: null }
  try {
    return await makeBundles({ folder, out, input, keyring, checker, onDone: () => undefined })
  } finally {
    checker.close()
  }
}

test('bundles are created for all valid stores of a folder, and broken ones are reported with their line', async () => {
  store('A1', 'A1')
  store('B2', 'B2', (text) => text.replace(/^region: .*/m, 'region: XX'))
  store('C3', 'C3')
  const outcomes = await make()
  expect(outcomes.map(({ kind }) => kind)).toEqual(['made', 'broken', 'made'])
  expect(outcomes[1]).toMatchObject({ mistakes: [expect.stringMatching(/B2\.yaml:\d+:\d+ {2}region: /)] })
  expect(readdirSync(out).toSorted()).toEqual(['A1.bundle', 'C3.bundle'])
  if (!keyring.trust) throw new Error('no keys')
  const read = readBundle(readFileSync(path.join(out, 'C3.bundle')), trustedIn(keyring.trust))
  expect(read).toMatchObject({ bundle: { manifest: { store: { id: 'C3' }, sequence: 7 } } })
  const report = reportOf(outcomes).split('\r\n')
  expect(report[0]).toContain('profile,store,lanes,bytes,sha256,mistakes')
  expect(report[1]).toContain(`${path.join(folder, 'A1.yaml')},A1,01,`)
})

test('bundling the same stores again gives the same bundles and removes the bundle of a now broken store', async () => {
  store('A1', 'A1')
  const [first] = await make()
  const [again] = await make()
  expect(again).toEqual(first)
  store('A1', 'A1', (text) => text.replace(/^region: .*/m, 'region: XX'))
  await make()
  expect(existsSync(path.join(out, 'A1.bundle'))).toBe(false)
})

test('if two profiles are of one store, only the first gets a bundle', async () => {
  store('A1', 'A1')
  store('B2', 'A1')
  expect(await make()).toMatchObject([
    { kind: 'made' },
    { kind: 'broken', mistakes: [expect.stringContaining('is also the store of')] },
  ])
})

test('a file that a profile names is reported if it is outside the folder', async () => {
  store('A1', 'A1', (text) => text.replace('training-catalog.csv', '../elsewhere.csv'))
  copyFileSync(path.join(folder, 'training-catalog.csv'), path.join(folder, '..', 'elsewhere.csv'))
  expect(await make()).toMatchObject([{ kind: 'broken', mistakes: [expect.stringContaining('outside the profile')] }])
})

test("a second profile of a store, even named after it, does not remove the first profile's bundle", async () => {
  store('A0', 'B2')
  store('B2', 'B2')
  expect(await make()).toMatchObject([{ kind: 'made' }, { kind: 'broken' }])
  expect(existsSync(path.join(out, 'B2.bundle'))).toBe(true)
})

test('the old bundle of a broken profile is found by its store id, not its file name, and removed', async () => {
  store('north', 'A1')
  await make()
  store('north', 'A1', (text) => text.replace(/^region: .*/m, 'region: XX'))
  await make()
  expect(readdirSync(out)).toEqual([])
})

test('an invalid catalog file name and an invalid store id are reported; other bundles are created', async () => {
  store('A1', 'A1', (text) => text.replace('training-catalog.csv', 'catalogue d’été.csv'))
  copyFileSync(path.join(folder, 'training-catalog.csv'), path.join(folder, 'catalogue d’été.csv'))
  store('B2', '../B2')
  store('C3', 'C3')
  expect(await make()).toMatchObject([
    { kind: 'broken', mistakes: [expect.stringContaining('letters A to Z')] },
    { kind: 'broken', mistakes: [expect.stringContaining('store.id')] },
    { kind: 'made' },
  ])
  expect(readdirSync(path.dirname(out)).filter((name) => name.endsWith('.bundle'))).toEqual([])
})

test('no bundle is created for a folder that does not exist', async () => {
  folder = path.join(folder, 'none')
  await expect(make()).rejects.toThrow('none')
  expect(existsSync(out)).toBe(false)
})
