import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { LaneFinding } from '../../contracts/api/lane-check.ts'
import { electronSupport } from '../../contracts/electron-support.ts'
import { readSlots } from '../../delivery/updates/slots.ts'
import { readMigrations } from '../db/migrate.ts'
import { firstDamaged } from '../../delivery/updates/program-files.ts'
import { PROGRAM_SIGNED } from '../../delivery/updates/program-path.ts'
import { folderRefusal, refuseDataFolder, StartRefusedError } from '../data-folder.ts'
import { findLaneSlots } from '../features/updates/lane-slots.ts'
import { refusalWords } from '../i18n.ts'
import { untrusted } from '../integrity/open-terminal.ts'
import { examineBeside } from '../outbox/examine.ts'
import { readSealKey } from '../seal-key.ts'
import { readStart } from '../start-checks.ts'
import { dayIn, finding, inEach } from './finding.ts'
import type { ReadLane } from './lane.ts'

/** The program's version, whether it goes with the database, and an update that is under way. */
export async function checkProgram(lane: ReadLane): Promise<LaneFinding[]> {
  const { version, dataFolder } = lane
  const known = readMigrations().length
  const schema = schemaOf(join(dataFolder, 'terminal.db'))
  return [
    finding('program-version', { version, node: process.versions.node }),
    ...(schema === null || schema === 0 ? [] : [schemaFinding(schema, known)]),
    ...(await changedFile(import.meta.dirname, dataFolder)),
    ...(await startRefusal(lane)),
    ...updateOf(slotsAbove(import.meta.dirname)),
  ]
}

/** The first file of the installed program that is not as it was signed; nothing in a checkout. */
export async function changedFile(programFolder: string, dataFolder: string): Promise<LaneFinding[]> {
  const found = findLaneSlots(programFolder, dataFolder, () => new Date())
  if (found === null) return []
  const folder = found.slots.folderOf(found.own)
  const standing = found.slots.standing(folder)
  const file = standing === null ? PROGRAM_SIGNED : await firstDamaged(folder, standing.program)
  return file === null ? [] : [finding('program-changed', { file: join(folder, ...file.split('/')) })]
}

/** Why the next start would be refused, by the start's own checks; what a running terminal has passed is not asked. */
export async function startRefusal(lane: ReadLane): Promise<LaneFinding[]> {
  const { dataFolder, bundle, profileFile, laneId, environment, read, terminalPid } = lane
  const profile = bundle.kind === 'sold' ? bundle.sold.profileFile : profileFile
  if (terminalPid !== null || read.kind !== 'good' || read.lane === null) return []
  const { mode, store } = read.profile
  const key = readSealKey(environment)
  const isAway = key === null && existsSync(join(dataFolder, 'seal-key.sealed'))
  try {
    // In training the shell starts the services first, whose addresses nobody knows yet.
    if (mode === 'production' && profile !== null)
      readStart({ data: dataFolder, profile, lane: laneId, central: null }, environment)
    // A key in the system's key store is the shell's to open.
    if (!isAway) {
      const masterKey = refuseDataFolder(dataFolder, key, { mode, store: store.id, lane: read.lane.id })
      if (masterKey !== null) await refuseDatabase(dataFolder, masterKey)
    }
    return []
  } catch (error) {
    const refused = folderRefusal(dataFolder, error)
    if (!(refused instanceof StartRefusedError)) throw error
    return [finding('start-refused', { reason: inEach((_, locale) => refusalWords(refused, locale)) })]
  }
}

/** A larger database cannot be read within the time of a check. */
const READ_BYTES = 64_000_000

/** Throws what a start would refuse of the database. Reads a copy: to open a database writes beside it. */
async function refuseDatabase(dataFolder: string, masterKey: Uint8Array): Promise<void> {
  const database = join(dataFolder, 'terminal.db')
  const bytes = existsSync(database) ? statSync(database).size : 0
  if (bytes === 0 || bytes > READ_BYTES) return
  const folder = mkdtempSync(join(tmpdir(), 'milepost-check-'))
  try {
    for (const end of ['', '-wal'])
      if (existsSync(database + end)) copyFileSync(database + end, join(folder, `terminal.db${end}`))
    const [file, markFile] = [join(folder, 'terminal.db'), join(dataFolder, 'journal.mark')]
    const { problem } = await examineBeside({ file, masterKey, inUse: false, markFile })
    if (problem !== null) throw untrusted(database, problem)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const schemaFinding = (schema: number, known: number): LaneFinding =>
  schema === known
    ? finding('program-reads-database', { schema: String(schema) })
    : finding(schema < known ? 'program-upgrades-database' : 'program-too-old', {
        schema: String(schema),
        known: String(known),
      })

/** Where the user version stands in a database file, four bytes, the first the highest (SQLite's file format, 1.3). */
const USER_VERSION_AT = 60
const HEADER_BYTES = 100

/** The schema that a database file says it has; null where there is none. Opens no database. */
export function schemaOf(file: string): number | null {
  if (!existsSync(file)) return null
  const header = Buffer.alloc(HEADER_BYTES)
  const descriptor = openSync(file, 'r')
  try {
    return readSync(descriptor, header, 0, HEADER_BYTES, 0) === HEADER_BYTES
      ? header.readUInt32BE(USER_VERSION_AT)
      : null
  } finally {
    closeSync(descriptor)
  }
}

/** The slots that this program lies in; null where it was not installed in any. */
function slotsAbove(folder: string): string | null {
  const up = dirname(folder)
  if (up === folder) return null
  return basename(up) === 'slots' ? up : slotsAbove(up)
}

export function updateOf(slots: string | null): LaneFinding[] {
  const state = slots === null ? null : readSlots(slots)
  if (state === null) return []
  const { pending, trial, last } = state
  // Who went back by a command knows of it.
  const wentBack = last !== null && last.outcome !== 'running' && last.why !== 'asked'
  const findings = [
    ...(pending === null ? [] : [finding('update-waiting', { version: pending.version })]),
    ...(trial === null ? [] : [finding('update-trial', { version: trial.version, starts: trial.starts })]),
    ...(wentBack ? [finding('update-refused', { version: last.version })] : []),
  ]
  return findings.length > 0 ? findings : [finding('update-none')]
}

const SUPPORT = {
  supported: 'electron-supported',
  'ends-soon': 'electron-ends-soon',
  ended: 'electron-ended',
} as const

/** How long the runtime of this lane's window is looked after; a browser is its system's to keep new. */
export function checkElectron({ now }: Pick<ReadLane, 'now'>): LaneFinding[] {
  if (process.versions['electron'] === undefined) return [finding('electron-none')]
  const { major, until, state } = electronSupport(now())
  return [finding(SUPPORT[state], { major: String(major), day: dayIn(new Date(`${until}T00:00:00Z`), 'UTC') })]
}
