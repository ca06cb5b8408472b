import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { playFleet, type FleetResult } from './fleet.ts'
import { oddsOfHalt } from './halt-statistics.ts'

const LANES = 50

async function play(badPercent: number): Promise<FleetResult> {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-fleet-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return await playFleet({ folder, lanes: LANES, badPercent, seed: 1, checkHours: 12, onDay: () => undefined })
}

test('a version that fails on too many lanes is halted automatically, and every lane gets its successor', async () => {
  const { halt, touched, versions, viaIntermediate, odd, unsentReports } = await play(40)
  expect(halt?.lanesLeft).toBe(3)
  expect(halt?.wavePercent).toBeLessThan(100)
  expect(touched).toBeLessThan(LANES)
  expect(versions).toEqual({ '1.5.1': LANES })
  expect(viaIntermediate).toBeGreaterThan(0)
  expect({ odd, unsentReports }).toEqual({ odd: {}, unsentReports: 0 })
})

test('a version that fails on two of fifty lanes is not halted: only these two keep the old version', async () => {
  const { halt, bad, versions } = await play(3.4)
  expect({ halt, bad }).toEqual({ halt: null, bad: 2 })
  expect(versions).toEqual({ '1.4.0': 2, '1.5.0': LANES - 2 })
})

test('a wave is halted in over 95 % of runs if a version fails on 3 % of its lanes, and in none if on 0.2 %', () => {
  expect(oddsOfHalt(1_000, 3, 100).halted).toBeGreaterThan(95)
  expect(oddsOfHalt(1_000, 0.2, 100).halted).toBe(0)
})
