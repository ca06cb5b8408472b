import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Updates } from '../../../contracts/operations/updates.ts'
import { listOf, newSigner } from '../../../packages/delivery/testing/bundle-content.ts'
import {
  installProgram,
  programOf,
  releaseFolder,
  serveFolder,
} from '../../../packages/delivery/testing/release-folder.ts'
import { updateManifest } from '../../../packages/delivery/testing/updates.ts'
import { sealManifest } from '../../../packages/delivery/updates/formats.ts'
import { readUpdateInstruction } from '../../../packages/delivery/updates/get.ts'
import { openSlots, type Slots } from '../../../packages/delivery/updates/slots.ts'
import { systemClock, type Clock } from '../../core/clock.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import {
  openTerminalHarness,
  type TerminalHarness,
  type TerminalHarnessOptions,
} from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const signer = newSigner()
const DAY_MS = 86_400_000
const FILES = { 'launcher/main.js': 'a program' }
const NOTES = { 'en-CA': 'Faster search.', 'fr-CA': 'Recherche plus rapide.' }

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'milepost-updates-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

function install(): Slots {
  const slots = openSlots({
    root: temporaryFolder(),
    platform: 'linux-x64-browser',
    trust: () => listOf(1, [signer]),
    now: () => new Date(),
  })
  put(slots.folderOf('a'), '1.4.0')
  return slots
}

function put(folder: string, version: string): void {
  mkdirSync(folder, { recursive: true })
  const manifest = updateManifest({ version, notes: NOTES, programs: [programOf(FILES)] })
  installProgram(folder, FILES, sealManifest(manifest, signer))
}

function fetched(slots: Slots, version = '1.5.0'): void {
  put(slots.stagingOf('b'), version)
  slots.fetched(version)
}

/** A clock whose `lookAgain` runs an update check at once, which is otherwise one to three minutes after a start. */
function impatientClock(): { readonly clock: Clock; readonly lookAgain: () => void } {
  const waits = new Set<() => void>()
  const clock: Clock = {
    ...systemClock,
    after(ms, work) {
      if (ms < 60_000 || ms > 180_000) return systemClock.after(ms, work)
      waits.add(work)
      return () => waits.delete(work)
    },
  }
  const lookAgain = (): void => {
    for (const work of Array.from(waits)) work()
  }
  return { clock, lookAgain }
}

const open = (slots: Slots | null, change: TerminalHarnessOptions = {}): Promise<TerminalHarness> =>
  openTerminalHarness(central, { staffId: 'sam', ...(slots && { laneSlots: { slots, own: 'a' } }), ...change })

async function read(here: TerminalHarness): Promise<Updates> {
  const { status, body } = await here.call('GET', '/api/updates')
  expect(status, JSON.stringify(body)).toBe(200)
  return Updates.parse(body)
}

const decide = (here: TerminalHarness, version: string, when: string) =>
  here.call('POST', '/api/updates/order', { version, when })

test('the update page of a program without slots shows that it cannot be updated', async () => {
  const here = await open(null)
  expect(await read(here)).toEqual({
    slots: false,
    running: { version: '0.0.0-test', since: null, notes: null },
    next: null,
    last: null,
    look: null,
  })
  expect(await decide(here, '1.5.0', 'tonight')).toMatchObject({ status: 409, body: { code: 'update-gone' } })
})

test('a manager sees the pending version and its notes, and chooses when it is installed', async () => {
  const slots = install()
  const here = await open(slots)
  expect(await read(here)).toMatchObject({ slots: true, running: { notes: NOTES }, next: null })
  fetched(slots)
  const ready = { version: '1.5.0', state: 'ready', notes: NOTES, bytes: null, heldUntil: null }
  expect((await read(here)).next).toMatchObject(ready)
  expect(await decide(here, '1.4.9', 'tonight')).toMatchObject({ status: 409, body: { code: 'update-gone' } })
  expect(readUpdateInstruction(slots.folder)).toBeNull()

  expect(await decide(here, '1.5.0', 'tonight')).toMatchObject({ status: 200, body: { next: { state: 'tonight' } } })
  expect(readUpdateInstruction(slots.folder)).toMatchObject({ kind: 'tonight', by: 'sam' })
  const postponed = Updates.parse((await decide(here, '1.5.0', 'not-now')).body)
  expect(postponed.next?.state).toBe('not-now')
  expect(Date.parse(postponed.next?.heldUntil ?? '') - Date.now()).toBeGreaterThan(6.9 * DAY_MS)
  expect(readUpdateInstruction(slots.folder)).toMatchObject({ kind: 'hold', until: postponed.next?.heldUntil })
  expect(here.read("SELECT kind, actor_id AS by, subject FROM audit_entry WHERE kind LIKE 'update-%'")).toEqual([
    { kind: 'update-ordered', by: 'sam', subject: '1.5.0' },
    { kind: 'update-postponed', by: 'sam', subject: '1.5.0' },
  ])
})

test('a version that a manager postponed is offered again after a week', async () => {
  const slots = install()
  fetched(slots)
  let later = 0
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + later }
  const here = await open(slots, { clock })
  await decide(here, '1.5.0', 'not-now')
  expect((await read(here)).next?.state).toBe('not-now')
  later = 7 * DAY_MS + 1_000
  // The manager's sign-in has ended within the week.
  await here.call('POST', '/api/sign-in', { staffId: 'sam', pin: '9999' })
  expect((await read(here)).next).toMatchObject({ state: 'ready', heldUntil: null })
})

test('only a manager can see and schedule updates', async () => {
  const here = await open(install(), { staffId: 'alex' })
  expect(await here.call('GET', '/api/updates')).toMatchObject({ status: 403, body: { code: 'manager-required' } })
  expect(await decide(here, '1.5.0', 'tonight')).toMatchObject({ status: 403 })
})

test('a version that failed is shown with the reason', async () => {
  const slots = install()
  fetched(slots)
  slots.arm(true)
  for (let start = 0; start < 3; start += 1) {
    expect(await slots.decideStart('a', 1)).toMatchObject({ kind: 'try' })
    slots.noteFailure('hung')
  }
  expect(await slots.decideStart('a', 1)).toMatchObject({ kind: 'self' })
  const { next, last } = await read(await open(slots))
  expect(next).toBeNull()
  expect(last).toMatchObject({ version: '1.5.0', from: '1.4.0', outcome: 'went-back', why: 'hung' })
})

test('an instruction about an earlier version does not apply to the next one', async () => {
  const slots = install()
  fetched(slots)
  const here = await open(slots)
  await decide(here, '1.5.0', 'tonight')
  slots.failed('1.5.0', 'damaged')
  fetched(slots, '1.6.0')
  expect((await read(here)).next).toMatchObject({ version: '1.6.0', state: 'ready' })
})

test('a release server that does not answer, or signs with an unknown key, is reported as such', async () => {
  const versions = releaseFolder(temporaryFolder(), newSigner())
  versions.put('1.5.0', FILES)
  versions.announce()
  const server = await serveFolder(versions.folder)
  const { clock, lookAgain } = impatientClock()
  const slots = install()
  const here = await open(slots, { clock, updatesUrl: server.base })
  expect((await read(here)).look).toBeNull()
  lookAgain()
  await expect.poll(async () => (await read(here)).look?.trouble).toBe('key-unknown')
  await server.close()
  lookAgain()
  await expect.poll(async () => (await read(here)).look?.trouble).toBe('unreachable')
})

test('a program folder that is not writable is reported as such, not as “no update”', async () => {
  const versions = releaseFolder(temporaryFolder(), signer)
  versions.put('1.5.0', FILES)
  versions.announce({ expiresAt: '2126-01-01T00:00:00Z' })
  const server = await serveFolder(versions.folder)
  onTestFinished(server.close)
  const { clock, lookAgain } = impatientClock()
  const slots = install()
  mkdirSync(join(slots.folder, 'state.kept.json', 'in-the-way'), { recursive: true })
  const here = await open(slots, { clock, updatesUrl: server.base })
  lookAgain()
  await expect.poll(async () => (await read(here)).look?.trouble).toBe('not-writable')
})
