import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { restingOn, TURNS } from './turns.ts'

const root = path.join(import.meta.dirname, '..', '..')
const all = TURNS.flat()
const days = TURNS.map((_, day) => new Date(Date.UTC(2026, 10, 26 + day, 1 + day)))

test('each runs on one of so many days, and rests on the others', () => {
  const running = days.map((day) => all.filter((file) => !restingOn(day).includes(file)))
  expect(running.flat().toSorted()).toEqual(all.toSorted())
  expect(new Set(all).size).toBe(all.length)
})

test('only campaigns take turns, and none is named that is not there', () => {
  for (const file of all) {
    expect(file).toMatch(/\.campaign\.(test|spec)\.ts$/)
    expect(existsSync(path.join(root, file)), file).toBe(true)
  }
})
