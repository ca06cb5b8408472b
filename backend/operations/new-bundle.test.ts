import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { instructionFileOf, readClockAhead } from '../../packages/delivery/stored-bundles.ts'
import { systemClock, type Clock } from '../core/clock.ts'
import { useCentral } from '../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const ID = 'a'.repeat(64)
const FROM = '2026-11-26T05:00:00Z'

function patientClock(): Clock & { look(): void; wait(ms: number): void; set(aheadMs: number): void } {
  const waiting = new Set<() => void>()
  let waited = 0
  let ahead = 0
  return {
    ...systemClock,
    monotonic: () => systemClock.monotonic() + waited,
    now: () => systemClock.now() + ahead,
    set: (ms) => (ahead = ms),
    wait: (ms) => (waited += ms),
    after(ms, work) {
      if (ms !== 30_000) return systemClock.after(ms, work)
      waiting.add(work)
      return () => waiting.delete(work)
    },
    look() {
      const due = Array.from(waiting)
      waiting.clear()
      for (const work of due) work()
    },
  }
}

function writeInstruction(folder: string, name: object): void {
  const file = instructionFileOf(folder)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify(name))
}

async function open(staffId: 'alex' | 'sam' = 'alex'): Promise<{
  here: TerminalHarness
  clock: ReturnType<typeof patientClock>
  restarts: () => number
}> {
  const clock = patientClock()
  let restarts = 0
  const here = await openTerminalHarness(central, { clock, staffId, restart: () => (restarts += 1) })
  return { here, clock, restarts: () => restarts }
}

test('a bundle that is due restarts the lane, but not during a sale', async () => {
  const { here, clock, restarts } = await open()
  clock.look()
  expect(restarts()).toBe(0)
  await here.ring('1021')
  writeInstruction(here.folder, { kind: 'put', id: ID, from: null })
  clock.look()
  expect(restarts()).toBe(0)
  const sale = await here.current()
  expect((await here.call('POST', `/api/sales/${sale?.id}/cancel`, { version: sale?.version })).status).toBe(200)
  clock.wait(60_000)
  clock.look()
  expect(restarts()).toBe(1)
})

test('a bundle that is not due yet or is invalid does not restart the lane', async () => {
  const { here, clock, restarts } = await open()
  writeInstruction(here.folder, { kind: 'put', id: ID, from: '2126-11-26T05:00:00Z' })
  clock.look()
  writeInstruction(here.folder, { kind: 'put', id: 'not an id', from: FROM })
  clock.look()
  writeFileSync(instructionFileOf(here.folder), '{')
  clock.look()
  expect(restarts()).toBe(0)
  writeInstruction(here.folder, { kind: 'undo', to: ID })
  clock.wait(60_000)
  clock.look()
  expect(restarts()).toBe(1)
})

test('the restart for a bundle waits while a person is active, whose input would be lost', async () => {
  const { here, clock, restarts } = await open()
  writeInstruction(here.folder, { kind: 'put', id: ID, from: null })
  for (let minute = 0; minute < 3; minute += 1) {
    clock.wait(59_000)
    expect((await here.call('POST', '/api/session/active', {})).status).toBeLessThan(300)
    clock.look()
    expect(restarts()).toBe(0)
  }
  clock.wait(60_000)
  clock.look()
  expect(restarts()).toBe(1)
})

test('a held sale does not delay the restart for a new bundle', async () => {
  const { here, clock, restarts } = await open()
  await here.ring('1021')
  const sale = await here.current()
  const held = await here.call('POST', `/api/sales/${sale?.id}/hold`, { version: sale?.version })
  expect(held.status).toBe(200)
  writeInstruction(here.folder, { kind: 'put', id: ID, from: null })
  clock.wait(60_000)
  clock.look()
  expect(restarts()).toBe(1)
})

test('a bundle that the last start skipped does not restart the lane again', async () => {
  const { here } = await open()
  writeInstruction(here.folder, { kind: 'put', id: ID, from: null })
  await here.close()
  const clock = patientClock()
  let restarts = 0
  const again = await openTerminalHarness(central, { folder: here.folder, clock, restart: () => (restarts += 1) })
  clock.look()
  expect(restarts).toBe(0)
  rmSync(instructionFileOf(again.folder))
  writeInstruction(again.folder, { kind: 'put', id: 'b'.repeat(64), from: null })
  clock.wait(60_000)
  clock.look()
  expect(restarts).toBe(1)
})

test('a clock ahead of the services applies no bundle early, and its offset is stored for the next start', async () => {
  const { here, clock, restarts } = await open('sam')
  writeInstruction(here.folder, { kind: 'put', id: ID, from: new Date(Date.now() + 30 * 60_000).toISOString() })
  clock.set(3_600_000)
  // Answers of the services carry the correct time.
  expect((await here.call('POST', '/api/diagnostics/echo', {})).status).toBe(200)
  clock.wait(60_000)
  clock.look()
  expect(restarts()).toBe(0)
  expect(Math.abs(readClockAhead(here.folder) - 3_600_000)).toBeLessThan(5 * 60_000)
  clock.set(0)
  expect((await here.call('POST', '/api/diagnostics/echo', {})).status).toBe(200)
  clock.look()
  expect(readClockAhead(here.folder)).toBe(0)
  expect(restarts()).toBe(0)
})
