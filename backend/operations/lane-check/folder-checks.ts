import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LaneFinding } from '../../../contracts/operations/lane-check-page.ts'
import { openSealed } from '../../../packages/delivery/enrolment/proof.ts'
import { isForeignLock, hasOnlyOwnFiles, keyCheckOf, lockFileOf } from '../../core/program/data-folder.ts'
import { readSealKey } from '../../core/integrity/seal.ts'
import { finding, reasonOf } from './finding.ts'
import { otherOwner, type ReadLane } from './lane.ts'

const OTHERS = 0o077
const isOpenToOthers = (file: string): boolean => process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0

/** Checks who owns the data folder, by its permissions and its sentinel, and whether a terminal uses it. */
export function checkFolder(lane: ReadLane): LaneFinding[] {
  const { dataFolder: folder, terminalPid } = lane
  if (!existsSync(folder)) return [finding('folder-new', { folder })]
  const lock = lockFileOf(folder)
  return [
    rightsOf(folder),
    ...markOf(lane),
    ...(statSync(folder).isDirectory() && isForeignLock(folder, lock)
      ? [finding('folder-foreign-lock', { file: lock })]
      : []),
    ...(terminalPid !== null
      ? [finding('terminal-runs', { pid: String(terminalPid) })]
      : process.platform === 'linux'
        ? [finding('terminal-stopped')]
        : []),
  ]
}

function rightsOf(folder: string): LaneFinding {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    // On a read-only disk, the check of the disk reports the problem.
    if (reasonOf(error) !== 'EROFS') return finding('folder-not-ours', { folder })
  }
  const { mode, uid } = statSync(folder)
  if (process.platform === 'win32' || (mode & OTHERS) === 0) return finding('folder-closed', { folder })
  const own = uid === process.getuid?.() || process.getuid?.() === 0
  if ((mode & 0o1000) !== 0 || !own) return finding('folder-shared', { folder })
  return hasOnlyOwnFiles(folder) ? finding('folder-open', { names: folder }) : finding('folder-holds-more', { folder })
}

function markOf({ sentinel, read, dataFolder }: ReadLane): LaneFinding[] {
  if (sentinel === 'unreadable') return [finding('folder-unreadable-mark', { file: join(dataFolder, 'terminal.json') })]
  const owner = otherOwner({ sentinel, read })
  return owner === null ? [] : [finding('folder-other-lane', owner)]
}

const hasDatabase = (folder: string): boolean => {
  const file = join(folder, 'terminal.db')
  return existsSync(file) && statSync(file).size > 0
}

/** Environment variable in which the shell passes why it could not open the key store for this check. */
const KEY_STORE_PROBLEM = 'MILEPOST_KEY_STORE_PROBLEM'

/** Checks the sealing key: where it is, who can read it, and whether it is that of the database. */
export function checkKey(lane: ReadLane): LaneFinding[] {
  const { dataFolder: folder, environment } = lane
  const [file, sealed] = [join(folder, 'seal.key'), join(folder, 'seal-key.sealed')]
  const given = readSealKey(environment)
  if (existsSync(file)) return [keyFile(file, lane)]
  if (given !== null) return [isKeyOf(given, lane) ? finding('key-in-key-store') : finding('key-other')]
  const problem = environment[KEY_STORE_PROBLEM]
  if (problem !== undefined) return [finding('key-store-away', { problem })]
  if (existsSync(sealed)) return [finding('key-needs-shell')]
  return [hasDatabase(folder) ? finding('key-missing', { file }) : finding('key-new')]
}

function keyFile(file: string, lane: ReadLane): LaneFinding {
  if (isOpenToOthers(file)) return finding('key-open', { file })
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64')
  if (key.byteLength !== 32) return finding('key-damaged', { file })
  return isKeyOf(key, lane) ? finding('key-in-file', { file }) : finding('key-other')
}

const isKeyOf = (key: Uint8Array, { sentinel }: ReadLane): boolean =>
  key.byteLength === 32 && (sentinel === null || sentinel === 'unreadable' || sentinel.keyCheck === keyCheckOf(key))

const ENROLLED = 'client-secret.enrolled'

/**
 * Checks where the client secret is and who can read it. Whether the program accepts it is checked by a call for a
 * token.
 */
export function checkSecret({ dataFolder, environment, read }: ReadLane): LaneFinding[] {
  const [file, sealed] = [join(dataFolder, 'client.secret'), join(dataFolder, 'client-secret.sealed')]
  if (read.kind === 'good' && read.profile.mode === 'training') return [finding('secret-training')]
  const key = readSealKey(environment)
  // The shell moves the secret of an enrolment into the key store at the next start, so it counts as being there.
  if (key !== null && openSealed(dataFolder, key, ENROLLED)) return [finding('secret-in-key-store')]
  if (environment['MILEPOST_CLIENT_SECRET'])
    return [finding(existsSync(sealed) ? 'secret-in-key-store' : 'secret-given')]
  if (existsSync(file)) {
    if (isOpenToOthers(file)) return [finding('secret-open', { file })]
    return [readFileSync(file, 'utf8').trim() === '' ? finding('secret-missing') : finding('secret-in-file', { file })]
  }
  const isWaiting = key === null && existsSync(join(dataFolder, ENROLLED))
  return [finding(existsSync(sealed) || isWaiting ? 'secret-needs-shell' : 'secret-missing')]
}
