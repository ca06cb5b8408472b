import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openLog } from './log-files.ts'

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'milepost-log-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}
const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
const now = (): Date => new Date('2026-11-20T15:00:00.000Z')
const time = '2026-11-20T15:00:00.000Z'
const GOOD = '{"level":30,"time":"2026-11-20T14:00:00.000Z","msg":"stopping"}'

test('every line in the log file is a JSON object, also if the program prints other text', () => {
  const file = path.join(folder(), 'backend.log')
  const write = openLog(file, { now })
  for (const line of [
    GOOD,
    'Error: oops',
    '    at somewhere (file.ts:1:1)',
    '{"level":30, half a line',
    '{}',
    '',
    '  ',
  ])
    write(line)
  expect(linesOf(file)).toEqual([
    JSON.parse(GOOD),
    ...['Error: oops', '    at somewhere (file.ts:1:1)', '{"level":30, half a line', '{}'].map((output) => ({
      level: 40,
      time,
      output,
      msg: 'output outside the log',
    })),
  ])
})

test('the log counts lost lines in the first line that can be written again', () => {
  const place = path.join(folder(), 'logs')
  mkdirSync(place)
  const file = path.join(place, 'backend.log')
  const write = openLog(file, { now })
  write(GOOD)
  renameSync(place, `${place}.moved`)
  for (let round = 0; round < 3; round += 1) write(GOOD)
  renameSync(`${place}.moved`, place)
  write(GOOD)
  write(GOOD)
  expect(linesOf(file)).toEqual([
    JSON.parse(GOOD),
    { level: 40, time, lines: 3, msg: 'log lines were lost' },
    JSON.parse(GOOD),
    JSON.parse(GOOD),
  ])
})

test('the log reports how much of the oldest file was deleted when files are rotated', () => {
  const file = path.join(folder(), 'backend.log')
  const write = openLog(file, { now, largestBytes: 2 * (GOOD.length + 1) })
  // Three lines fill a log file: the fourth begins the second file, and the seventh deletes the first.
  for (let line = 1; line <= 7; line += 1) write(GOOD)
  const [first] = linesOf(file)
  expect(first).toMatchObject({ level: 30, time, msg: 'deleted an older log' })
  expect(first?.['bytes']).toBe(3 * (GOOD.length + 1))
  expect(linesOf(file)).toHaveLength(2)
})
