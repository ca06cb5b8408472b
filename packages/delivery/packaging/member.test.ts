import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newSigner, listOf } from '../testing/bundle-content.ts'
import { sealPackage, type PackageManifest } from '../package-manifest.ts'
import { updateManifest } from '../testing/updates.ts'
import { trustedIn } from '../trust.ts'
import { sealManifest } from '../updates/formats.ts'
import { sha256 } from '../bundle.ts'
import { readFirst, secondMember, writeFirstMember, type MemberFile } from './member.ts'
import { FIRST_STATE } from './installer-files.ts'
import { checkContents } from './verify-contents.ts'

const signer = newSigner()
const trusted = trustedIn(listOf(1, [signer]))
const LONG = `slots/a/${'folder/'.repeat(20)}file.js`

function workFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'milepost-member-'))
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  return folder
}

const file = (name: string, content: string, executable = false): MemberFile => ({
  path: name,
  bytes: Buffer.from(content),
  executable,
})

const listed = ({ path: name, bytes, executable }: MemberFile) => ({
  path: name,
  sha256: sha256(bytes),
  bytes: bytes.byteLength,
  executable,
})

async function packed(folder: string, firstFiles: readonly MemberFile[], second: readonly MemberFile[]) {
  const first = path.join(folder, 'first')
  await writeFirstMember(
    first,
    '',
    firstFiles.map(({ path: name, bytes, executable }) => ({ path: name, from: { bytes }, executable })),
  )
  const behind = await secondMember(second)
  const archive = path.join(folder, 'package.tar.gz')
  writeFileSync(archive, Buffer.concat([readFileSync(first), behind]))
  return { first, behind, archive }
}

test('GNU tar and gunzip read two gzip members as one archive; its hash continues that of the first', async () => {
  const folder = workFolder()
  const { first, behind, archive } = await packed(
    folder,
    [file(LONG, 'deep'), file('run', '#!/bin/sh', true)],
    [file('store/b', 'of the store')],
  )
  const listed = execFileSync('tar', ['tvzf', archive], { encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } })
  expect(listed.trim().split('\n')).toEqual([
    expect.stringMatching(/^-rwxr-xr-x 0\/0 +9 1980-01-01 00:00 milepost\/run$/),
    expect.stringMatching(/^-rw-r--r-- 0\/0 +4 1980-01-01 00:00 milepost\/slots\/a\/folder\/.*file\.js$/),
    expect.stringMatching(/^-rw-r--r-- 0\/0 +12 1980-01-01 00:00 milepost\/store\/b$/),
  ])
  const plain = gunzipSync(readFileSync(archive))
  expect(plain.subarray(-1024).equals(Buffer.alloc(1024))).toBe(true)
  const { hash, bytes } = await readFirst(first)
  expect(bytes).toBe(readFileSync(first).byteLength)
  expect(hash.copy().update(behind).digest('hex')).toBe(
    createHash('sha256').update(readFileSync(archive)).digest('hex'),
  )
})

describe('verifying the signed file list of a package', () => {
  const main = file('slots/a/main.js', 'sells')
  const sealed = sealManifest(
    updateManifest({
      version: '1.0.0',
      programs: [{ platform: 'linux-x64', files: [{ ...listed(main), path: 'main.js' }] }],
    }),
    signer,
  )
  const program: MemberFile = { path: 'slots/a/program.signed', bytes: sealed, executable: false }
  const manifest: PackageManifest = {
    format: 1,
    kind: 'package',
    platform: 'linux-x64',
    version: '1.0.0',
    store: { id: '1001', name: 'Store' },
    mode: 'training',
    lanes: ['01'],
    files: [listed(program)],
  }
  const list: MemberFile = { path: 'package.signed', bytes: sealPackage(manifest, signer), executable: false }
  const state = file('slots/state.json', FIRST_STATE)
  const wrong = async (first: readonly MemberFile[], second = [list, state]): Promise<readonly string[]> => {
    const { archive } = await packed(workFolder(), first, second)
    const checked = await checkContents({ archive, trusted, look: () => [], into: null })
    return checked.wrong.filter((line) => line !== 'store/store.bundle: unsigned')
  }

  test('accepts an unchanged package', async () => {
    expect(await wrong([main, program])).toEqual([])
  })
  test('rejects a changed, executable, missing or additional file', async () => {
    expect(await wrong([file(main.path, 'stole'), program])).toEqual([`${main.path}: differs from the signed list`])
    expect(await wrong([file(main.path, 'sells', true), program])).toEqual([
      `${main.path}: differs from the signed list`,
    ])
    expect(await wrong([program])).toEqual([`${main.path}: not in the archive`])
    const more = file('slots/a/more.js', '')
    expect(await wrong([main, more, program])).toEqual([`${more.path}: not in the signed list`])
  })
  test('rejects an unknown key, a program of another version, and a state file that is not of a new lane', async () => {
    expect(await wrong([main, program], [list, file(state.path, '{"good":"b"}')])).toEqual([
      'slots/state.json: not the state of a new lane',
    ])
    const stranger = { ...list, bytes: sealPackage(manifest, newSigner()) }
    expect(await wrong([main, program], [stranger, state])).toEqual(['package.signed: key-unknown'])
    const older = { ...program, bytes: sealManifest(updateManifest({ version: '0.9.0' }), signer) }
    expect(await wrong([main, older])).toContain(`${program.path}: belongs to another program than the package`)
  })
  test("rejects a file outside the package's folder", async () => {
    expect(await wrong([main, program, file('../outside', 'x')])).toContain(
      'milepost/../outside: not a file below milepost/',
    )
  })
})
