import { statSync } from 'node:fs'
import path from 'node:path'
import { sha256 } from '../../delivery/bundle.ts'
import { sealPackage, type PackagedFile } from '../../delivery/package-manifest.ts'
import type { Keyring } from '../keys/keyring.ts'
import type { MadeBundle } from '../bundles/make.ts'
import { FIRST_STATE, installerFiles } from './installer-files.ts'
import { secondMember, type MemberFile } from './member.ts'
import type { Program } from './programs.ts'

/** Not in the signed list: itself, and what the lane writes. */
export const SIGNED_LIST = 'package.signed'
export const STATE_FILE = 'slots/state.json'

/** What is a store's own in its package, as the second member of the archive, and what the installer signs for. */
export async function storePart(
  program: Program,
  { bytes, store, lanes }: MadeBundle,
  keyring: Keyring,
): Promise<Buffer> {
  // Each list vouches for itself, and the newest knows the key that has signed the bundle.
  const trust = keyring.lists.at(-1) ?? Buffer.alloc(0)
  const own: MemberFile[] = [
    ...installerFiles(program.platform),
    { path: 'store/store.bundle', bytes, executable: false },
    { path: 'store/trust.keys', bytes: trust, executable: false },
  ]
  const listed = own.map((file): PackagedFile => ({
    path: file.path,
    sha256: sha256(file.bytes),
    bytes: file.bytes.byteLength,
    executable: file.executable,
  }))
  const signed = sealPackage(
    {
      format: 1,
      kind: 'package',
      platform: program.platform.name,
      version: program.version,
      store,
      mode: program.mode,
      lanes: [...lanes],
      files: [...program.files, ...listed],
    },
    keyring.signer(),
  )
  return secondMember([
    ...own,
    { path: SIGNED_LIST, bytes: signed, executable: false },
    { path: STATE_FILE, bytes: Buffer.from(FIRST_STATE), executable: false },
  ])
}

/**
 * When a store's bundle counts as made where nobody says: its newest file's time, so that the same files make the same
 * package.
 */
export function newestTime(profileFile: string, named: Iterable<string>): Date {
  const folder = path.dirname(profileFile)
  const files = [profileFile, ...[...named].map((name) => path.join(folder, ...name.split('/')))]
  const times = files.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return new Date(Math.floor(Math.max(...times) / 1_000) * 1_000)
}
