import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { EMPTY, addNotice, readNotices, writeState } from '../../packages/delivery/stored-bundles.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { temporaryFolder } from '../core/http/testing.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'
import { hasFallenBack } from './new-bundle.ts'

const central = useCentral()
const at = '2026-11-25T15:00:00.000Z'
const id = 'a'.repeat(64)

test('a start is a fallback if it uses another bundle than the one in force, or if that one was damaged', () => {
  const folder = temporaryFolder()
  const [other, own] = ['b'.repeat(64), 'c'.repeat(64)]
  const profileOf = (bundle: string): string => path.join(folder, 'bundles', bundle, 'files', 'profile.yaml')
  const noticed = (kind: 'refused' | 'damaged') => ({ kind, id: own, number: 7, at, words: [] })
  mkdirSync(path.join(folder, 'bundles'))
  expect(hasFallenBack(folder, profileOf(own))).toBe(false)
  writeState(folder, { ...EMPTY, current: own, previous: other })
  expect(hasFallenBack(folder, profileOf(own))).toBe(false)
  expect(hasFallenBack(folder, profileOf(other))).toBe(true)
  expect(hasFallenBack(folder, '/opt/milepost/profile.yaml')).toBe(true)
  writeState(folder, { ...EMPTY, current: other, notice: noticed('damaged') })
  expect(hasFallenBack(folder, profileOf(other))).toBe(true)
  // Neither an undo that was requested, nor a package whose only bundle was refused, counts as a fallback.
  writeState(folder, { ...EMPTY, current: other, previous: own })
  expect(hasFallenBack(folder, profileOf(other))).toBe(false)
  writeState(folder, { ...EMPTY, notice: noticed('refused') })
  expect(hasFallenBack(folder, '/opt/milepost/profile.yaml')).toBe(false)
})

const trailOf = (here: TerminalHarness): object[] =>
  here.read("SELECT kind, subject, detail FROM audit_entry WHERE kind LIKE 'bundle-%' ORDER BY rowid")

test('bundles that a start refused or dropped get one audit entry each; diagnostics show a refused one', async () => {
  const before = await openTerminalHarness(central)
  const { folder } = before
  const maintenance = async (here: typeof before): Promise<unknown> =>
    (await here.call('GET', '/api/diagnostics/maintenance')).body
  expect(await maintenance(before)).not.toHaveProperty('bundle')
  await before.close()
  mkdirSync(path.join(folder, 'bundles'), { recursive: true })
  const notice = { kind: 'refused', id, number: 7, at, words: ['profile.yaml:3:1  limist: …'] } as const
  writeState(folder, { ...EMPTY, notice: { ...notice, words: [...notice.words] } })
  addNotice(folder, { ...notice, words: [...notice.words] })
  addNotice(folder, { kind: 'dropped', id, number: 8, at, why: 'key-revoked' })

  const here = await openTerminalHarness(central, { folder })
  expect(await maintenance(here)).toMatchObject({ bundle: { kind: 'refused', number: 7, at } })
  const reported = [
    { kind: 'bundle-refused', subject: '7' },
    { kind: 'bundle-dropped', subject: '8', detail: '{"reason":"key-revoked"}' },
  ]
  expect(trailOf(here)).toMatchObject(reported)
  expect(readNotices(folder)).toEqual([])
  await here.close()
  writeFileSync(path.join(folder, 'bundles', 'news.json'), '{')
  const again = await openTerminalHarness(central, { folder })
  expect(trailOf(again)).toMatchObject(reported)
  await again.close()
})
