import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listOf, newSigner } from '../../../packages/delivery/testing/bundle-content.ts'
import {
  installProgram,
  programOf,
  releaseFolder,
  serveFolder,
  type FileServer,
} from '../../../packages/delivery/testing/release-folder.ts'
import { channelOf, release, updateManifest } from '../../../packages/delivery/testing/updates.ts'
import { sealManifest, sha256 } from '../../../packages/delivery/updates/formats.ts'
import { openSlots, type Slots } from '../../../packages/delivery/updates/slots.ts'
import { systemClock, type Clock } from '../../core/clock.ts'
import { temporaryFolder } from '../../core/http/testing.ts'
import { useCentral } from '../../../packages/lab/testing/central.ts'
import { openTerminalHarness } from '../../../packages/lab/testing/terminal-harness.ts'

const central = useCentral()
const signer = newSigner()
const OLD = { 'launcher/main.js': 'old' }
const NEW = { 'launcher/main.js': 'new' }

function patientClock(): Clock & { pass(): void } {
  const waiting = new Set<() => void>()
  return {
    ...systemClock,
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

/**
 * Opens a lane that runs version 1.4.0 and has fetched 1.5.0, without a signed-in person. `halted`: the release server
 * has halted 1.5.0 since. `restarts` counts the restarts for an update.
 */
async function closedLane(
  halted: boolean,
): Promise<{ slots: Slots; pass: () => void; restarts: () => number; server: FileServer }> {
  const root = temporaryFolder()
  const versions = releaseFolder(temporaryFolder(), signer)
  const sealed = versions.put('1.5.0', NEW)
  const releases = [release('1.5.0', { manifest: sha256(sealed), halted })]
  versions.announce(channelOf(releases, { expiresAt: new Date(Date.now() + 86_400_000).toISOString() }))
  const server = await serveFolder(versions.folder)
  onTestFinished(server.close)
  const slots = openSlots({
    root,
    platform: 'linux-x64-browser',
    trust: () => listOf(1, [signer]),
    now: () => new Date(),
  })
  const installed = sealManifest(updateManifest({ version: '1.4.0', programs: [programOf(OLD)] }), signer)
  for (const [folder, files, manifest] of [
    [slots.folderOf('a'), OLD, installed],
    [join(root, 'slots', 'b.new'), NEW, sealed],
  ] as const) {
    mkdirSync(folder, { recursive: true })
    installProgram(folder, files, manifest)
  }
  slots.fetched('1.5.0')
  const clock = patientClock()
  let restarts = 0
  const here = await openTerminalHarness(central, {
    clock,
    laneSlots: { slots, own: 'a' },
    restartForUpdate: () => (restarts += 1),
    updatesUrl: server.base,
  })
  await here.call('POST', '/api/sign-out', {})
  return { slots, pass: clock.pass, restarts: () => restarts, server }
}

test('with no one signed in, a lane asks the release server before installing and drops a halted version', async () => {
  const { slots, pass, restarts } = await closedLane(true)
  await expect
    .poll(() => {
      pass()
      return slots.state().pending
    })
    .toBeNull()
  pass()
  expect(restarts()).toBe(0)
})

test('with no one signed in, a lane installs a version that the release server still offers', async () => {
  const { slots, pass, restarts } = await closedLane(false)
  await expect
    .poll(() => {
      if (restarts() === 0) pass()
      return restarts()
    })
    .toBe(1)
  expect(slots.state().pending).toMatchObject({ version: '1.5.0', isArmed: true })
})

test('a version whose release is paused is not installed until it is released again', async () => {
  const { slots, pass, restarts, server } = await closedLane(false)
  server.instead = (place, response) =>
    place === 'channel.signed' && Boolean(response.writeHead(503).end('{"refused":"held-back"}'))
  pass()
  await expect.poll(() => server.requests).toContain('channel.signed')
  for (let looks = 0; looks < 5; looks += 1) {
    pass()
    await new Promise((resolve) => {
      setTimeout(resolve, 20)
    })
  }
  expect(restarts()).toBe(0)
  expect(slots.state().pending?.version).toBe('1.5.0')
  server.instead = () => false
  await expect
    .poll(() => {
      if (restarts() === 0) pass()
      return restarts()
    })
    .toBe(1)
})
