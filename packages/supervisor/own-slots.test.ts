import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listOf, newSigner } from '../delivery/testing/parts.ts'
import { installProgram, programOf, releaseFolder, serveFolder } from '../delivery/testing/release-folder.ts'
import { channelOf, release, updateManifest } from '../delivery/testing/updates.ts'
import { lanesBeside } from '../delivery/updates/beside.ts'
import { CHANNEL_FILE, sealChannel, sealManifest } from '../delivery/updates/formats.ts'
import { openSlots } from '../delivery/updates/slots.ts'
import { untilOwnTurn } from './own-slots.ts'

const signer = newSigner()

function install(folder: string, version: string, readsBack = 1): void {
  const files = { 'launcher/main.js': `process.exit(1) // ${version}` }
  const manifest = updateManifest({ version, readsBack, programs: [programOf(files)] })
  installProgram(folder, files, sealManifest(manifest, signer))
}

/** A lane of 1.0.0 that has 1.1.0 waiting, armed, as `from` published it. */
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
  const said: string[] = []
  const start = (): Promise<number | null> =>
    untilOwnTurn({
      slots,
      own: 'a',
      dataFolder,
      args: [],
      askedToEnd: new Promise(() => {}),
      news: {
        tries: (version) => said.push(`tries ${version}`),
        failed: (version, why) => said.push(`${version} ${why}`),
        wentBack: (version) => said.push(`back from ${version}`),
        notNoted: () => said.push('not noted'),
      },
    })
  return { slots, dataFolder, said, start }
}
const THREE_TRIES = [...Array.from({ length: 3 }, () => ['tries 1.1.0', '1.1.0 ended']).flat(), 'back from 1.1.0']

test('a disk that takes no note keeps no lane shut: the program that stands there goes on, and says why', async () => {
  const { slots, said, start } = armedLane()
  const inTheWay = path.join(slots.folder, 'state.kept.json')
  rmSync(inTheWay)
  mkdirSync(path.join(inTheWay, 'full'), { recursive: true })
  expect(await start()).toBeNull()
  expect(said).toEqual(['not noted'])
  // What waited is tried as soon as it can be.
  rmSync(inTheWay, { recursive: true })
  expect(await start()).toBeNull()
  expect(said.slice(1)).toEqual(THREE_TRIES)
})

test('where an older backup was put back, what waits and cannot read it is tried once the good one has', async () => {
  const { slots, dataFolder, said, start } = armedLane(null, 2)
  const database = (schema: number): void => {
    const head = Buffer.alloc(100)
    head.writeUInt32BE(schema, 60)
    writeFileSync(path.join(dataFolder, 'terminal.db'), head)
  }
  mkdirSync(dataFolder, { mode: 0o700 })
  database(1)
  expect(await start()).toBeNull()
  expect(said).toEqual([])
  expect(slots.state().pending?.version).toBe('1.1.0')
  database(2)
  // The power goes while it is tried the first time, and a backup is put back then.
  await slots.decideStart('a', 2)
  database(1)
  expect(await start()).toBeNull()
  expect([said, slots.state().trial?.starts]).toEqual([[], 1])
  database(2)
  expect(await start()).toBeNull()
  expect(said).toEqual(THREE_TRIES.slice(2))
})

test('a lane that was switched off asks in the morning whether what waits was halted overnight', async () => {
  const published = releaseFolder(mkdtempSync(path.join(tmpdir(), 'milepost-published-')), signer)
  const server = await serveFolder(published.folder)
  onTestFinished(async () => {
    await server.close()
    rmSync(published.folder, { recursive: true, force: true })
  })
  const announce = (halted: boolean): void =>
    writeFileSync(
      path.join(published.folder, CHANNEL_FILE),
      sealChannel(channelOf([release('1.1.0', { halted })], { expiresAt: '2126-01-01T00:00:00Z' }), signer),
    )
  announce(true)
  const lane = armedLane(server.base)
  expect(await lane.start()).toBeNull()
  expect(lane.said).toEqual([])
  expect(lane.slots.state()).toMatchObject({ pending: null, trial: null, refused: [] })
  announce(false)
  const held = armedLane(server.base)
  server.instead = (_, response) => Boolean(response.writeHead(503).end('{"refused":"held-back"}'))
  expect(await held.start()).toBeNull()
  expect([held.said, held.slots.state().pending?.version]).toEqual([[], '1.1.0'])
  server.instead = () => false
  expect(await held.start()).toBeNull()
  expect(held.said).toEqual(THREE_TRIES)
  // Where nobody answers, the lane goes by what it knows.
  const away = armedLane('http://127.0.0.1:9/')
  expect(await away.start()).toBeNull()
  expect(away.said).toEqual(THREE_TRIES)
})

test('while another lane runs from the same slots, or starts there, nothing is tried under it', async () => {
  const { slots, said, start } = armedLane()
  const other = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' })
  onTestFinished(() => {
    other.kill()
  })
  writeFileSync(path.join(slots.folder, `running.${other.pid}`), '/somewhere/else')
  expect(lanesBeside(slots.folder, '/here')).toEqual(['/somewhere/else'])
  expect(lanesBeside(slots.folder, '/somewhere/else')).toEqual([])
  expect(await start()).toBeNull()
  expect(said).toEqual([])
  const ended = once(other, 'exit')
  other.kill()
  await ended
  expect(await start()).toBeNull()
  expect(said).toEqual(THREE_TRIES)
  expect(readdirSync(slots.folder).filter((name) => name.startsWith('running.'))).toEqual([`running.${process.pid}`])
})
