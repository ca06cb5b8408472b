import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { CAMPAIGN_DAYS, dueOn, skippedOn } from './campaign-days.ts'
import { SLOW_TESTS } from './slow-tests.ts'

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

test('each slow test runs on one of two days, exists, and is no campaign', () => {
  const slow = SLOW_TESTS.flat()
  const running = days.slice(0, SLOW_TESTS.length).flatMap((day) => dueOn(day, SLOW_TESTS) ?? [])
  expect(running.toSorted()).toEqual(slow.toSorted())
  expect(new Set(slow).size).toBe(slow.length)
  for (const file of slow) {
    expect(file).not.toContain('.campaign.')
    expect(existsSync(path.join(root, file)), file).toBe(true)
  }
})
