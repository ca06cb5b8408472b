import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listOf, newSigner } from '../delivery/testing/parts.ts'
import { installProgram, programOf } from '../delivery/testing/release-folder.ts'
import { updateManifest } from '../delivery/testing/updates.ts'
import { sealManifest } from '../delivery/updates/formats.ts'
import { openSlots } from '../delivery/updates/slots.ts'
import { untilOwnTurn } from './own-slots.ts'

const signer = newSigner()

function install(folder: string, version: string): void {
  const files = { 'launcher/main.js': `process.exit(1) // ${version}` }
  installProgram(folder, files, sealManifest(updateManifest({ version, programs: [programOf(files)] }), signer))
}

test('a disk that takes no note keeps no lane shut: the program that stands there goes on, and says why', async () => {
  const root = mkdtempSync(path.join(tmpdir(), 'milepost-own-slots-'))
  onTestFinished(() => {
    rmSync(root, { recursive: true, force: true })
  })
  const trust = () => listOf(1, [signer])
  const slots = openSlots({ root, platform: 'linux-x64-browser', trust, now: () => new Date() })
  install(slots.folderOf('a'), '1.0.0')
  install(slots.stagingOf('b'), '1.1.0')
  slots.fetched('1.1.0')
  slots.arm(true)
  const inTheWay = path.join(slots.folder, 'state.kept.json')
  rmSync(inTheWay)
  mkdirSync(path.join(inTheWay, 'full'), { recursive: true })
  const said: string[] = []
  const start = (): Promise<number | null> =>
    untilOwnTurn({
      slots,
      own: 'a',
      dataFolder: path.join(root, 'data'),
      args: [],
      askedToEnd: new Promise(() => {}),
      news: {
        tries: (version) => said.push(`tries ${version}`),
        failed: (version, why) => said.push(`${version} ${why}`),
        wentBack: (version) => said.push(`back from ${version}`),
        notNoted: () => said.push('not noted'),
      },
    })
  expect(await start()).toBeNull()
  expect(said).toEqual(['not noted'])
  // What waited is tried as soon as it can be.
  rmSync(inTheWay, { recursive: true })
  expect(await start()).toBeNull()
  const tries = Array.from({ length: 3 }, () => ['tries 1.1.0', '1.1.0 ended']).flat()
  expect(said.slice(1)).toEqual([...tries, 'back from 1.1.0'])
})
