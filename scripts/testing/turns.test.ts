import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { restingOn, TURNS } from './turns.ts'

const root = path.join(import.meta.dirname, '..', '..')
const [one, other] = TURNS
const [today, tomorrow] = [new Date('2026-11-26T12:00:00Z'), new Date('2026-11-27T01:00:00Z')]

test('what rests on one day runs on the next, and nothing rests on both', () => {
  expect(restingOn(today, false)).not.toEqual(restingOn(tomorrow, false))
  expect(one.filter((file) => other.includes(file))).toEqual([])
})

test('nothing rests in a night', () => {
  expect([today, tomorrow].flatMap((day) => restingOn(day, true))).toEqual([])
})

test('only campaigns take turns, and none is named that is not there', () => {
  for (const file of [...one, ...other]) {
    expect(file).toMatch(/\.campaign\.(test|spec)\.ts$/)
    expect(existsSync(path.join(root, file)), file).toBe(true)
  }
})
