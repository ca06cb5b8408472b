import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { skippedOn, CAMPAIGN_DAYS } from './campaign-days.ts'

const root = path.join(import.meta.dirname, '..', '..')
const all = CAMPAIGN_DAYS.flat()
const days = CAMPAIGN_DAYS.map((_, day) => new Date(Date.UTC(2026, 10, 26 + day, 1 + day)))

test('each listed campaign runs on one day of the cycle and is skipped on the others', () => {
  const running = days.map((day) => all.filter((file) => !skippedOn(day).includes(file)))
  expect(running.flat().toSorted()).toEqual(all.toSorted())
  expect(new Set(all).size).toBe(all.length)
})

test('the lists of campaigns contain only existing test files', () => {
  for (const file of all) {
    expect(file).toMatch(/\.campaign\.(test|spec)\.ts$/)
    expect(existsSync(path.join(root, file)), file).toBe(true)
  }
})
