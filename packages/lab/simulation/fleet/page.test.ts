import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { appendRun, lastRuns, type Run } from './history.ts'
import { pageWith, plotsOf } from './page.ts'

const root = path.join(import.meta.dirname, '../../../..')
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

const run = (value: number | null, at: string): Run => ({
  at,
  node: '24.0.0',
  seed: 1,
  seconds: 2.5,
  result: {
    scenario: 'hour',
    title: 'no response for an hour',
    policy: 'ours',
    lanes: 10,
    figures: [{ name: 'drain', value, limit: 1.1, is: 'at most', unit: '×', isJudged: true }],
    facts: { backlog: 3 },
  },
  series: { policy: 'ours', capacity: 100, points: [{ minute: 1, offered: 50, useful: 40, oldest: 0.5 }] },
})

function emptyHistory(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-fleet-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true })
  })
  return path.join(folder, 'fleet.jsonl')
}

test('docs/fleet.md and its plots show the last runs in the history file', () => {
  const runs = lastRuns(path.join(root, 'bench/fleet.jsonl'))
  const page = read('docs/fleet.md')
  expect(runs).toHaveLength(21)
  expect(pageWith(page, runs)).toBe(page)
  for (const { file, svg } of plotsOf(runs)) expect(read(`docs/images/fleet/${file}`), file).toBe(svg)
})

test('the page shows the last run of a scenario and policy, and “never” for a backlog that is not drained', () => {
  const file = emptyHistory()
  expect(lastRuns(file)).toEqual([])
  const [before, after] = [run(1.05, '2026-11-25T10:00:00.000Z'), run(Infinity, '2026-11-26T10:00:00.000Z')]
  appendRun(file, before)
  appendRun(file, after)
  expect(lastRuns(file)).toEqual([after])
  expect(pageWith('a <!-- figures: npm run lab -- fleet --page --> b <!-- end of figures --> c', [after])).toContain(
    '**never**',
  )
})

test('the plots scale runs of fewer lanes to ten thousand lanes', () => {
  const [few] = plotsOf([run(1, '2026-11-25T10:00:00.000Z')])
  // Ten lanes with a hundred calls per second are scaled to a hundred thousand, where the axis ends.
  expect(few?.svg).toContain('>100000</text>')
})

test('an invalid run in the history file is rejected, and so is a page without a place for the table', () => {
  const file = emptyHistory()
  appendFileSync(file, '{"scenario":"hour"}\n')
  expect(() => lastRuns(file)).toThrow('seed')
  expect(() => pageWith('no table here', [])).toThrow('the page has no')
})
