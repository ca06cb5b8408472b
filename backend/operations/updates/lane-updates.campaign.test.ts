import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { listOf, newSigner } from '../../../packages/delivery/testing/bundle-content.ts'
import {
  installProgram,
  programOf,
  releaseFolder,
  serveFolder,
} from '../../../packages/delivery/testing/release-folder.ts'
import { updateManifest } from '../../../packages/delivery/testing/updates.ts'
import { sealManifest } from '../../../packages/delivery/updates/formats.ts'
import { writeUpdateInstruction, readCheck, readUpdateInstruction } from '../../../packages/delivery/updates/get.ts'
import { openSlots, type Slots } from '../../../packages/delivery/updates/slots.ts'
import { systemClock, type Clock } from '../../core/clock.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness, type TerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const signer = newSigner()
const OLD = { 'launcher/main.js': 'old' }
const closings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0)) await close()
})

function patientClock(): Clock & { pass(): void; wait(ms: number): void } {
  const waiting = new Set<() => void>()
  let waited = 0
  return {
    ...systemClock,
    monotonic: () => systemClock.monotonic() + waited,
    wait: (ms) => (waited += ms),
    after(ms, work) {
      if (ms < 30_000) return systemClock.after(ms, work)
      waiting.add(work)
      return () => waiting.delete(work)
    },
    pass() {
      const due = Array.from(waiting)
      waiting.clear()
      for (const work of due) work()
    },
  }
}

function installed(own: 'a' | 'b' = 'a'): Slots {
  const root = temporaryFolder()
  const sealed = sealManifest(updateManifest({ version: '1.0.0', programs: [programOf(OLD)] }), signer)
  for (const slot of ['a', own]) {
    mkdirSync(join(root, 'slots', slot), { recursive: true })
    installProgram(join(root, 'slots', slot), OLD, sealed)
  }
  return openSlots({ root, platform: 'linux-x64-browser', trust: () => listOf(1, [signer]), now: () => new Date() })
}

interface Open {
  readonly here: TerminalHarness
  readonly slots: Slots
  readonly clock: ReturnType<typeof patientClock>
  readonly restarts: () => number
}
async function open(slots = installed(), own: 'a' | 'b' = 'a', updatesUrl?: string): Promise<Open> {
  const clock = patientClock()
  let restarts = 0
  const here = await openTerminalHarness(central, {
    clock,
    laneSlots: { slots, own },
    restartForUpdate: () => (restarts += 1),
    ...(updatesUrl === undefined ? {} : { updatesUrl }),
  })
  return { here, slots, clock, restarts: () => restarts }
}
async function sellOne(here: TerminalHarness): Promise<void> {
  const { id, version, totals } = await here.ring('1021')
  const paid = { version, kind: 'cash', tenderedCents: totals.cashDueCents }
  expect((await here.call('POST', `/api/sales/${id}/tenders`, paid)).status).toBeLessThan(300)
}
const at = new Date().toISOString()
const waiting = (slots: Slots): void => slots.fetched('1.1.0')

test('a pending version is not installed while a person is signed in or a drawer is open', async () => {
  const { here, slots, clock, restarts } = await open()
  waiting(slots)
  await sellOne(here)
  clock.wait(120_000)
  clock.pass()
  expect(restarts(), 'a person is signed in').toBe(0)
  await here.call('POST', '/api/sign-out', {})
  clock.pass()
  expect(restarts(), 'the drawer is open').toBe(0)
  expect(slots.state().pending?.isArmed).toBe(false)
})

test('with no one signed in, a postponed version is not installed, and one requested for tonight is', async () => {
  const { here, slots, clock, restarts } = await open()
  await here.call('POST', '/api/sign-out', {})
  waiting(slots)
  const until = new Date(Date.now() + 3_600_000).toISOString()
  writeUpdateInstruction(slots.folder, { kind: 'hold', at, by: 'sam', until })
  clock.pass()
  expect(restarts()).toBe(0)
  writeUpdateInstruction(slots.folder, { kind: 'tonight', at, by: 'sam' })
  clock.pass()
  expect(restarts()).toBe(1)
  expect(slots.state().pending).toMatchObject({ version: '1.1.0', isArmed: true })
})

test('an installer’s instruction to update at once waits only for the end of the open sale', async () => {
  const { here, slots, clock, restarts } = await open()
  waiting(slots)
  writeUpdateInstruction(slots.folder, { kind: 'now', at })
  await here.ring('1021')
  clock.wait(60_000)
  clock.pass()
  expect(restarts()).toBe(0)
  const sale = await here.current()
  await here.call('POST', `/api/sales/${sale?.id}/cancel`, { version: sale?.version })
  clock.wait(60_000)
  clock.pass()
  expect(restarts()).toBe(1)
})

test('after a normal stop the next start tries the pending version, unless a drawer is open', async () => {
  const { here, slots } = await open()
  waiting(slots)
  await here.close()
  expect(slots.state().pending?.isArmed).toBe(true)
  const other = await open()
  waiting(other.slots)
  await sellOne(other.here)
  await other.here.close()
  expect(other.slots.state().pending?.isArmed).toBe(false)
})

test('a new program is confirmed after it has run for half a minute, which is reported once', async () => {
  const slots = installed('b')
  slots.fetched('1.0.0')
  slots.arm(true)
  await slots.decideStart('a', 1)
  const versions = releaseFolder(temporaryFolder(), signer)
  const server = await serveFolder(versions.folder)
  closings.push(server.close)
  const { clock } = await open(slots, 'b', server.base)
  expect(slots.state()).toMatchObject({ good: 'a', trial: { slot: 'b', began: 1 } })
  clock.pass()
  expect(slots.state()).toMatchObject({ good: 'b', trial: null })
  await expect.poll(() => server.reports.length).toBe(1)
  expect(server.reports[0]).toMatchObject({ store: 'TRAIN-001', lane: '01', version: '1.0.0', outcome: 'running' })
  await expect.poll(() => slots.state().outcomes).toEqual([])
})

test('the confirmation of a new program is tried again while the disk refuses it', async () => {
  const slots = installed('b')
  slots.fetched('1.0.0')
  slots.arm(true)
  await slots.decideStart('a', 1)
  const { clock } = await open(slots, 'b')
  const inTheWay = join(slots.folder, 'state.kept.json')
  rmSync(inTheWay)
  mkdirSync(join(inTheWay, 'full'), { recursive: true })
  clock.pass()
  expect(slots.state()).toMatchObject({ good: 'a', trial: { slot: 'b' } })
  rmSync(inTheWay, { recursive: true })
  clock.pass()
  expect(slots.state()).toMatchObject({ good: 'b', trial: null })
})

test('a manager’s request for a check does not cancel the manager’s postponement of a version', async () => {
  const { here, slots, clock, restarts } = await open()
  await here.call('POST', '/api/sign-out', {})
  waiting(slots)
  const until = new Date(Date.now() + 3_600_000).toISOString()
  writeUpdateInstruction(slots.folder, { kind: 'hold', at, by: 'sam', until })
  writeUpdateInstruction(slots.folder, { kind: 'check', at })
  clock.pass()
  clock.pass()
  expect(restarts()).toBe(0)
  expect(readUpdateInstruction(slots.folder)).toMatchObject({ kind: 'hold', until })
  expect(readCheck(slots.folder)).toBeNull()
})

test('an installer’s instruction to return to the previous program waits for no slow release server', async () => {
  const slots = installed('b')
  slots.fetched('1.0.0')
  slots.arm(true)
  await slots.decideStart('a', 1)
  slots.confirm('b')
  const server = await serveFolder(temporaryFolder())
  closings.push(server.close)
  server.instead = () => true
  const { clock, restarts } = await open(slots, 'b', server.base)
  writeUpdateInstruction(slots.folder, { kind: 'check', at })
  clock.pass()
  await expect.poll(() => server.requests.length).toBeGreaterThan(0)
  writeUpdateInstruction(slots.folder, { kind: 'back', at })
  clock.wait(120_000)
  clock.pass()
  expect(restarts()).toBe(1)
})

test('update reports stay stored until sent, and a new version is fetched while a person is signed in', async () => {
  const slots = installed()
  slots.failed('1.0.1', 'damaged')
  const versions = releaseFolder(temporaryFolder(), signer)
  versions.put('1.2.0', { 'launcher/main.js': 'new' }, { schema: 99 })
  versions.announce({ expiresAt: '2126-01-01T00:00:00Z' })
  const server = await serveFolder(versions.folder)
  closings.push(server.close)
  server.instead = (place, response) => place === 'reports' && Boolean(response.writeHead(503).end())
  const { clock } = await open(slots, 'a', server.base)
  clock.pass()
  await expect.poll(() => slots.state().pending?.version).toBe('1.2.0')
  await expect.poll(() => server.requests.filter((place) => place === 'reports').length).toBeGreaterThan(0)
  expect(slots.state().outcomes).toMatchObject([{ version: '1.0.1', outcome: 'failed' }])
  server.instead = () => false
  writeUpdateInstruction(slots.folder, { kind: 'check', at })
  await expect
    .poll(() => {
      clock.pass()
      return slots.state().outcomes
    })
    .toEqual([])
})

/** Puts a folder in place of a file of the program slots, so that their state cannot be stored. */
function refuseNotes(slots: Slots): () => void {
  const inTheWay = join(slots.folder, 'state.kept.json')
  rmSync(inTheWay, { force: true })
  mkdirSync(join(inTheWay, 'full'), { recursive: true })
  return () => rmSync(inTheWay, { recursive: true })
}

test('an update report sent but not recorded as sent is sent again, and the terminal continues', async () => {
  const slots = installed()
  slots.failed('1.0.1', 'damaged')
  const server = await serveFolder(temporaryFolder())
  closings.push(server.close)
  const { clock } = await open(slots, 'a', server.base)
  const allowNotes = refuseNotes(slots)
  clock.pass()
  await expect.poll(() => server.reports.length).toBeGreaterThan(0)
  allowNotes()
  writeUpdateInstruction(slots.folder, { kind: 'check', at })
  await expect
    .poll(() => {
      clock.pass()
      return slots.state().outcomes
    })
    .toEqual([])
})

test('a disk error during one update check does not stop later checks', async () => {
  const { here, slots, clock, restarts } = await open()
  await here.call('POST', '/api/sign-out', {})
  waiting(slots)
  const allowNotes = refuseNotes(slots)
  clock.pass()
  expect(restarts()).toBe(0)
  allowNotes()
  clock.pass()
  expect(restarts()).toBe(1)
})

test('a version that an earlier start should have tried is not tried while the lane sells', async () => {
  const slots = installed()
  slots.fetched('1.1.0')
  slots.arm(true)
  const { here } = await open(slots)
  await sellOne(here)
  expect(slots.state().pending?.isArmed).toBe(false)
})
