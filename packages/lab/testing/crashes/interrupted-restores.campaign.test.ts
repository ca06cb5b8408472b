import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StartRefusedError } from '../../../../backend/core/program/data-folder.ts'
import { readMigrations, type Migration } from '../../../../backend/core/db/migrate.ts'
import { rollBack } from '../../../../backend/operations/restore/rollback.ts'
import { temporaryFolder } from '../../../../backend/core/http/testing.ts'
import { examineCopy } from '../../../../backend/core/outbox/integrity-check.ts'
import { applyRestore } from '../../../../backend/operations/restore/restore.ts'
import { isWholeCampaign } from '../campaign.ts'
import { ADDITIVE, createLane, nextRelease, sellOn, TODAY, updateTo } from '../next-release.ts'

const program = (name: string): string => join(import.meta.dirname, name)
function runUntilCrash(name: string, ...args: string[]): { steps: string[]; killed: boolean; messages: string[] } {
  const { signal, stdout, stderr } = spawnSync(process.execPath, [...process.execArgv, program(name), ...args], {
    encoding: 'utf8',
  })
  const killed = signal === 'SIGKILL'
  return {
    steps: stdout.split('\n').filter((line) => line !== ''),
    killed,
    messages: killed || stderr === '' ? [] : [stderr],
  }
}

async function laneWithSale(): Promise<string> {
  const data = join(temporaryFolder(), 'data')
  await createLane(data)
  await sellOn(data)
  return data
}

const startIn = (data: string): void => void applyRestore(data, null)

function proved(data: string): { schema: number; entries: number } {
  const copy = join(temporaryFolder(), 'copy.db')
  copyFileSync(join(data, 'terminal.db'), copy)
  if (existsSync(join(data, 'terminal.db-wal'))) copyFileSync(join(data, 'terminal.db-wal'), `${copy}-wal`)
  const { problem, schema, entries } = examineCopy(
    copy,
    Buffer.from(readFileSync(join(data, 'seal.key'), 'utf8'), 'base64'),
  )
  expect(problem).toBeNull()
  return { schema, entries }
}

test('a lane killed at any step of a downgrade has the whole newer database or the whole older copy', async () => {
  const data = await laneWithSale()
  // The newer program was killed before the downgrade, so its migration is only in the write-ahead log.
  expect(runUntilCrash('update-and-exit.ts', data, String(TODAY + 1)).killed).toBe(true)
  const passed: string[] = []
  for (let at = 1; ; at += 1) {
    const [older, newer] = [join(temporaryFolder(), 'data'), join(temporaryFolder(), 'data')]
    cpSync(data, older, { recursive: true })
    const { steps, killed } = runUntilCrash('rollback-and-exit.ts', older, String(at))
    if (!killed) break
    cpSync(older, newer, { recursive: true })
    const after = `after ${steps.at(-1)}`
    passed.push(steps.at(-1) ?? '')
    startIn(older)
    expect([TODAY, TODAY + 1], after).toContain(proved(older).schema)
    expect(['restored', 'not-newer'], after).toContain(rollBack(older, null).kind)
    expect(proved(older), after).toEqual({ schema: TODAY, entries: 1 })
    expect(await sellOn(older), after).toBe(2)
    expect(readdirSync(older).filter((name) => name.includes('restor'))).toEqual([])
    // The newer program may be started after the kill instead of the older one, and must be able to sell too.
    startIn(newer)
    expect(await sellOn(newer, nextRelease(undefined, TODAY + 1)), after).toBe(2)
  }
  expect(passed).toEqual(
    expect.arrayContaining(['copied', 'completed', 'ready', 'aside terminal.db', 'database in place', 'mark in place']),
  )
})

function programs(readable: readonly [boolean, boolean]): readonly (readonly Migration[])[] {
  const next = nextRelease(ADDITIVE, readable[0] ? TODAY : TODAY + 1)
  const least = next.at(-1)?.readableFrom ?? TODAY
  const afterNext = {
    number: TODAY + 2,
    name: 'after_it',
    sql: 'CREATE TABLE after_it (a TEXT) STRICT',
    readableFrom: readable[1] ? Math.max(least, TODAY + 1) : TODAY + 2,
  }
  return [readMigrations(), next, [...next, afterNext]]
}

type Step =
  | { readonly kind: 'start' | 'sell'; readonly program: number }
  | { readonly kind: 'go back' }
  | { readonly kind: 'go back, killed'; readonly at: number }
const sell = (of: number): Step => ({ kind: 'sell', program: of })
const start = (of: number): Step => ({ kind: 'start', program: of })
const back: Step = { kind: 'go back' }

/** Sequences of steps that are played in every run and together reach every outcome. */
const EXAMPLES: readonly [[boolean, boolean], Step[]][] = [
  [
    [true, true],
    [start(1), { kind: 'go back, killed', at: 3 }, sell(0), sell(1), sell(0), sell(2), back],
  ],
  [
    [false, false],
    [sell(1), sell(0), back, start(2), back],
  ],
  [
    [true, false],
    [start(2), back, sell(0), sell(1), start(2), sell(0), sell(2), sell(0)],
  ],
]

const NEEDED = 'install the newer program'

async function play(data: string, one: Step, made: readonly (readonly Migration[])[]) {
  if (one.kind === 'go back, killed')
    return { refusals: runUntilCrash('rollback-and-exit.ts', data, String(one.at)).messages, outcomes: [], sold: 0 }
  const of = made[one.kind === 'go back' ? 0 : one.program] ?? []
  const refusals: string[] = []
  const outcome = async (act: () => unknown): Promise<string> => {
    try {
      return String(await act())
    } catch (error) {
      if (!(error instanceof StartRefusedError)) throw error
      refusals.push(error.message)
      return 'refused'
    }
  }
  const outcomes = of === made[0] ? [await outcome(() => rollBack(data, null).kind)] : []
  const entries = proved(data).entries
  const done = await outcome(async () => (one.kind === 'sell' ? await sellOn(data, of) : await updateTo(data, of)))
  outcomes.push(done === 'refused' ? done : one.kind === 'sell' ? 'sold' : 'started')
  return { refusals, outcomes, sold: proved(data).entries - entries }
}

test('no journal entry is lost by starts, sales, kills and downgrades in any order', async () => {
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ kind: fc.constant('start' as const), program: fc.integer({ min: 1, max: 2 }) }),
    fc.record({ kind: fc.constant('sell' as const), program: fc.integer({ min: 0, max: 2 }) }),
    fc.record({ kind: fc.constant('go back' as const) }),
    fc.record({ kind: fc.constant('go back, killed' as const), at: fc.integer({ min: 1, max: 10 }) }),
  )
  const seen = new Set<string>()
  const steps = fc.array(step, { minLength: 4, maxLength: 9 })
  await fc.assert(
    fc.asyncProperty(fc.tuple(fc.boolean(), fc.boolean()), steps, async (readable, played) => {
      const made = programs(readable)
      const data = await laneWithSale()
      let entries = 1
      for (const one of played) {
        const before = schemaIn(data)
        const { refusals, outcomes, sold } = await play(data, one, made)
        startIn(data)
        entries += outcomes.includes('sold') ? 1 : 0
        expect(sold).toBe(outcomes.includes('sold') ? 1 : 0)
        expect(proved(data).entries, 'every journal entry ever made is present').toBe(entries)
        for (const refusal of refusals) expect(refusal).toContain(NEEDED)
        expect(refusals.length > 0 && before <= TODAY, 'no program refuses a database that it can open').toBe(false)
        for (const outcome of outcomes) seen.add(outcome)
      }
    }),
    { numRuns: isWholeCampaign ? 60 : 6, examples: [...EXAMPLES] },
  )
  // Each outcome must have occurred, because otherwise the run proves nothing.
  expect([...seen]).toEqual(expect.arrayContaining(['restored', 'opens', 'refused', 'not-newer', 'sold']))
})

const schemaIn = (data: string): number => {
  const db = new Sqlite(join(data, 'terminal.db'), { readonly: true })
  try {
    return Number(db.pragma('user_version', { simple: true }))
  } finally {
    db.close()
  }
}
