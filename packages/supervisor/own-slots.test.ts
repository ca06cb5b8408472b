import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listOf, newSigner } from '../delivery/testing/bundle-content.ts'
import { installProgram, programOf, releaseFolder, serveFolder } from '../delivery/testing/release-folder.ts'
import { channelOf, release, updateManifest } from '../delivery/testing/updates.ts'
import { otherLanes } from '../delivery/updates/running.ts'
import { CHANNEL_FILE, sealChannel, sealManifest } from '../delivery/updates/formats.ts'
import { openSlots } from '../delivery/updates/slots.ts'
import { runTrials } from './own-slots.ts'

const signer = newSigner()

function install(folder: string, version: string, readsBack = 1): void {
  const files = { 'launcher/main.js': `process.exit(1) // ${version}` }
  const manifest = updateManifest({ version, readsBack, programs: [programOf(files)] })
  installProgram(folder, files, sealManifest(manifest, signer))
}

function armedLane(from: string | null = null, readsBack = 1) {
  const root = mkdtempSync(path.join(tmpdir(), 'milepost-own-slots-'))
  onTestFinished(() => {
    rmSync(root, { recursive: true, force: true })
  })
  const trust = () => listOf(1, [signer])
  const slots = openSlots({ root, platform: 'linux-x64-browser', trust, now: () => new Date() })
  install(slots.folderOf('a'), '1.0.0')
  install(slots.stagingOf('b'), '1.1.0', readsBack)
  slots.fetched('1.1.0', from)
  slots.arm(true)
  const dataFolder = path.join(root, 'data')
  const output: string[] = []
  const start = (): Promise<number | null> =>
    runTrials({
      slots,
      own: 'a',
      dataFolder,
      args: [],
      stopRequested: new Promise(() => {}),
      listener: {
        tries: (version) => output.push(`tries ${version}`),
        failed: (version, why) => output.push(`${version} ${why}`),
        rolledBack: (version) => output.push(`back from ${version}`),
        notRecorded: () => output.push('not noted'),
      },
    })
  return { slots, dataFolder, output, start }
}
const THREE_TRIES = [...Array.from({ length: 3 }, () => ['tries 1.1.0', '1.1.0 ended']).flat(), 'back from 1.1.0']

test('a disk error does not stop a lane: the current program version continues and reports the reason', async () => {
  const { slots, output, start } = armedLane()
  const blocker = path.join(slots.folder, 'state.kept.json')
  rmSync(blocker)
  mkdirSync(path.join(blocker, 'full'), { recursive: true })
  expect(await start()).toBeNull()
  expect(output).toEqual(['not noted'])
  rmSync(blocker, { recursive: true })
  expect(await start()).toBeNull()
  expect(output.slice(1)).toEqual(THREE_TRIES)
})

test('a waiting version that cannot read a restored backup is tried after the good version migrated it', async () => {
  const { slots, dataFolder, output, start } = armedLane(null, 2)
  const database = (schema: number): void => {
    const head = Buffer.alloc(100)
    head.writeUInt32BE(schema, 60)
    writeFileSync(path.join(dataFolder, 'terminal.db'), head)
  }
  mkdirSync(dataFolder, { mode: 0o700 })
  database(1)
  expect(await start()).toBeNull()
  expect(output).toEqual([])
  expect(slots.state().pending?.version).toBe('1.1.0')
  database(2)
  await slots.decideStart('a', 2)
  database(1)
  expect(await start()).toBeNull()
  expect([output, slots.state().trial?.starts]).toEqual([[], 1])
  database(2)
  expect(await start()).toBeNull()
  expect(output).toEqual(THREE_TRIES.slice(2))
})

test('a lane that was off checks whether the waiting version was halted overnight before it tries it', async () => {
  const versions = releaseFolder(mkdtempSync(path.join(tmpdir(), 'milepost-published-')), signer)
  const server = await serveFolder(versions.folder)
  onTestFinished(async () => {
    await server.close()
    rmSync(versions.folder, { recursive: true, force: true })
  })
  const announce = (halted: boolean): void =>
    writeFileSync(
      path.join(versions.folder, CHANNEL_FILE),
      sealChannel(channelOf([release('1.1.0', { halted })], { expiresAt: '2126-01-01T00:00:00Z' }), signer),
    )
  announce(true)
  const lane = armedLane(server.base)
  expect(await lane.start()).toBeNull()
  expect(lane.output).toEqual([])
  expect(lane.slots.state()).toMatchObject({ pending: null, trial: null, refused: [] })
  announce(false)
  const held = armedLane(server.base)
  server.instead = (_, response) => Boolean(response.writeHead(503).end('{"refused":"held-back"}'))
  expect(await held.start()).toBeNull()
  expect([held.output, held.slots.state().pending?.version]).toEqual([[], '1.1.0'])
  server.instead = () => false
  expect(await held.start()).toBeNull()
  expect(held.output).toEqual(THREE_TRIES)
  // If the update server is unreachable, the lane decides by the stored state of its slots.
  const offline = armedLane('http://127.0.0.1:9/')
  expect(await offline.start()).toBeNull()
  expect(offline.output).toEqual(THREE_TRIES)
})

test('a lane tries no waiting version while another lane runs or starts from the same slots', async () => {
  const { slots, output, start } = armedLane()
  const other = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' })
  onTestFinished(() => {
    other.kill()
  })
  writeFileSync(path.join(slots.folder, `running.${other.pid}`), '/somewhere/else')
  expect(otherLanes(slots.folder, '/here')).toEqual(['/somewhere/else'])
  expect(otherLanes(slots.folder, '/somewhere/else')).toEqual([])
  expect(await start()).toBeNull()
  expect(output).toEqual([])
  const ended = once(other, 'exit')
  other.kill()
  await ended
  expect(await start()).toBeNull()
  expect(output).toEqual(THREE_TRIES)
  expect(readdirSync(slots.folder).filter((name) => name.startsWith('running.'))).toEqual([`running.${process.pid}`])
})
