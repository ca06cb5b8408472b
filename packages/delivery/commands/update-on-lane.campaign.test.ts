import { run } from '../../lab/rig/process.ts'
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { listOf, newSigner } from '../testing/bundle-content.ts'
import { installProgram, programOf, releaseFolder, serveFolder, type FileServer } from '../testing/release-folder.ts'
import { updateManifest } from '../testing/updates.ts'
import { sealTrust } from '../trust.ts'
import { sealManifest } from '../updates/formats.ts'
import { readCheck, readUpdateInstruction } from '../updates/get.ts'
import { firstState } from '../updates/slots-state.ts'
import { openSlots } from '../updates/slots.ts'
import { lockFolder } from '../../supervisor/folder-lock.ts'
import { runUpdateSubcommand } from '../../supervisor/launcher/update-subcommands.ts'
import { updateTranslator } from '../../supervisor/launcher/translators.ts'

const signer = newSigner()
const work = mkdtempSync(path.join(tmpdir(), 'milepost-update-'))
const [root, data] = [path.join(work, 'root'), path.join(work, 'data')]
const OLD = { 'launcher/main.js': 'old' }
let server: FileServer
const versions = releaseFolder(path.join(work, 'published'), signer)

beforeAll(async () => {
  server = await serveFolder(versions.folder)
})
beforeEach(() => {
  rmSync(root, { recursive: true, force: true })
  const slot = path.join(root, 'slots', 'a')
  mkdirSync(slot, { recursive: true })
  mkdirSync(path.join(root, 'store'))
  mkdirSync(data, { recursive: true, mode: 0o700 })
  installProgram(slot, OLD, sealManifest(updateManifest({ version: '1.0.0', programs: [programOf(OLD)] }), signer))
  writeFileSync(path.join(root, 'store', 'trust.keys'), sealTrust(listOf(1, [signer]), signer))
  versions.put('1.2.0', { 'launcher/main.js': 'new' })
  versions.announce({ expiresAt: '2126-01-01T00:00:00Z' })
})
afterAll(async () => {
  await server.close()
  rmSync(work, { recursive: true, force: true })
})

async function lane(...args: string[]): Promise<{ readonly code: number | null; readonly output: string }> {
  const file = fileURLToPath(new URL('./lane.ts', import.meta.url))
  const { code, ...texts } = await run([file, 'update', ...args, '--data', data, '--program', root])
  const output = texts.stdout + texts.stderr
  return { code, output }
}

test('an installer checks for a new version, requests its trial now, and reads the status', async () => {
  expect(await lane('status')).toEqual({ code: 0, output: 'running: 1.0.0\n' })
  expect(await lane('now')).toMatchObject({ code: 1, output: expect.stringContaining('update check') })
  expect(await lane('back')).toMatchObject({ code: 1, output: expect.stringContaining('no previous version') })
  expect(await lane('check')).toMatchObject({ code: 2, output: expect.stringContaining('--from') })
  expect(await lane('check', '--from', server.base)).toMatchObject({
    code: 0,
    output: expect.stringContaining('1.2.0'),
  })
  expect(await lane('now')).toMatchObject({ code: 0, output: expect.stringContaining('1.2.0') })
  expect(readUpdateInstruction(path.join(root, 'slots'))?.kind).toBe('now')
  expect((await lane('status', '--language', 'fr-CA')).output).toMatch(/en service : 1\.0\.0\nen attente : 1\.2\.0/)
})

test('the updates CLI command reports a program folder in which it cannot write an instruction', async () => {
  expect((await lane('check', '--from', server.base)).code).toBe(0)
  mkdirSync(path.join(root, 'slots', 'order.json', 'in-the-way'), { recursive: true })
  const { code, output } = await lane('now')
  expect(code).toBe(1)
  expect(output).toMatch(new RegExp(String.raw`^${root} is not writable .*Not requested\. \(.*\)\n$`))
})

test('the updates CLI command does not go back to a previous version that no longer exists', async () => {
  const before = { ...firstState('a'), before: { version: '0.9.0' } }
  writeFileSync(path.join(root, 'slots', 'state.json'), JSON.stringify(before))
  expect(await lane('back')).toMatchObject({ code: 1, output: expect.stringContaining('no previous version') })
  expect(readUpdateInstruction(path.join(root, 'slots'))).toBeNull()
})

test('root does not download files for a program of another user, who could not remove them', async () => {
  const folder = path.join(root, 'slots')
  if (statSync(folder).uid === 0) chownSync(folder, 1, 1)
  const ownId = vi.spyOn(process, 'getuid').mockReturnValue(0)
  onTestFinished(() => {
    ownId.mockRestore()
  })
  const slots = openSlots({
    root,
    platform: 'linux-x64-browser',
    trust: () => listOf(1, [signer]),
    now: () => new Date(),
  })
  const context = {
    slots,
    dataFolder: data,
    lane: { store: '1001', lane: '01' },
    from: server.base,
    now: () => new Date(),
  }
  for (const [locale, message] of [
    ['en-CA', 'belongs to another user'],
    ['fr-CA', 'est à un autre utilisateur'],
  ] as const)
    await expect(runUpdateSubcommand(context, 'check', updateTranslator(locale))).rejects.toThrow(message)
  expect(readdirSync(folder)).toEqual(['a'])
})

test('the updates CLI command makes a running terminal check, and reports a missing or expired channel', async () => {
  expect(await lane('check', '--from', `${server.base}/nowhere`)).toMatchObject({
    code: 1,
    output: expect.stringContaining('status 404'),
  })
  versions.announce({ expiresAt: '2026-01-01T00:00:00Z' })
  expect(await lane('check', '--from', server.base)).toMatchObject({
    code: 1,
    output: expect.stringContaining('clock'),
  })
  const lock = await lockFolder(data)
  expect(await lane('check')).toMatchObject({
    code: 0,
    output: expect.stringContaining('now checks for a new version'),
  })
  expect(readCheck(path.join(root, 'slots'))).not.toBeNull()
  if ('release' in lock) await lock.release()
})

test('the update CLI command reports an unknown argument, a missing program, and an invalid list of keys', async () => {
  expect(await lane('sell')).toMatchObject({ code: 2, output: expect.stringContaining('update status') })
  rmSync(path.join(root, 'slots'), { recursive: true })
  expect(await lane('status')).toMatchObject({ code: 2, output: expect.stringContaining('--program') })
  const list = path.join(root, 'store', 'trust.keys')
  writeFileSync(list, 'no list')
  expect(await lane('status', '--language', 'fr')).toEqual({
    code: 2,
    output: `${list} n’est pas une liste de clés reconnues. Redemandez-la à l’installateur.\n`,
  })
})
