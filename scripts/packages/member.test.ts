import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { newSigner, listOf } from '../../delivery/testing/parts.ts'
import { sealPackage, type PackageManifest } from '../../delivery/package-manifest.ts'
import { trustedIn } from '../../delivery/trust.ts'
import { sha256 } from '../../delivery/bundle.ts'
import { readFirst, secondMember, writeFirstMember, type MemberFile } from './member.ts'
import { FIRST_STATE } from './installer-files.ts'
import { checkContents } from './verify/contents.ts'

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

test('two members are one archive to GNU tar and gunzip; the hash of the first goes on with the second', async () => {
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

test('a package is believed as it was signed, and no other', async () => {
  const program = file('slots/a/main.js', 'sells')
  const manifest: PackageManifest = {
    format: 1,
    kind: 'package',
    platform: 'linux-x64',
    version: '1.0.0',
    store: { id: '1001', name: 'Store' },
    mode: 'training',
    lanes: ['01'],
    files: [{ path: program.path, sha256: sha256(program.bytes), bytes: 5, executable: false }],
  }
  const list = { path: 'package.signed', bytes: sealPackage(manifest, signer), executable: false }
  const state = file('slots/state.json', FIRST_STATE)
  const check = async (first: readonly MemberFile[], second: readonly MemberFile[]): Promise<readonly string[]> => {
    const { archive } = await packed(workFolder(), first, second)
    const { wrong } = await checkContents({ archive, trusted, look: () => [], into: null })
    return wrong.filter((line) => line !== 'store/store.bundle: unsigned')
  }
  expect(await check([program], [list, state])).toEqual([])
  expect(await check([file(program.path, 'stole')], [list, state])).toEqual([`${program.path}: not as it was signed`])
  expect(await check([file(program.path, 'sells', true)], [list, state])).toEqual([
    `${program.path}: not as it was signed`,
  ])
  expect(await check([], [list, state])).toEqual([`${program.path}: not in the archive`])
  expect(await check([program, file('slots/a/more.js', '')], [list, state])).toEqual([
    'slots/a/more.js: not in the signed list',
  ])
  expect(await check([program], [list, file('slots/state.json', '{"good":"b"}')])).toEqual([
    'slots/state.json: not that of a new lane',
  ])
  const stranger = { ...list, bytes: sealPackage(manifest, newSigner()) }
  expect(await check([program], [stranger, state])).toEqual(['package.signed: key-unknown'])
  expect(await check([file('../outside', 'x')], [list, state])).toContain(
    'milepost/../outside: no file below milepost/',
  )
})
