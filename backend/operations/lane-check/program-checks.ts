import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import type { LaneFinding } from '../../../contracts/operations/lane-check-page.ts'
import { electronSupport } from '../../../contracts/core/electron-support.ts'
import { readSlots } from '../../../packages/delivery/updates/slots.ts'
import { readMigrations } from '../../core/db/migrate.ts'
import { firstDamaged } from '../../../packages/delivery/updates/program-files.ts'
import { PROGRAM_SIGNED } from '../../../packages/delivery/updates/formats.ts'
import { StartRefusedError, folderRefusal, refuseDataFolder, type FolderOwner } from '../../core/program/data-folder.ts'
import { findLaneSlots } from '../updates/lane-updates.ts'
import { refusalText } from '../../core/i18n.ts'
import { untrusted } from '../../core/integrity/open-terminal.ts'
import { examineInWorker } from '../../core/outbox/integrity-check.ts'
import { readSealKey } from '../../core/integrity/seal.ts'
import { readStart } from '../start-checks.ts'
import { dayIn, finding, inEach } from './finding.ts'
import type { ReadLane } from './lane.ts'
import { configFolderOf, findAutostart } from '../../../packages/delivery/autostart.ts'
import { output } from './machine-checks.ts'

export async function checkProgram(lane: ReadLane): Promise<LaneFinding[]> {
  const { version, dataFolder } = lane
  const known = readMigrations().length
  const schema = schemaOf(join(dataFolder, 'terminal.db'))
  return [
    finding('program-version', { version, node: process.versions.node }),
    ...(schema === null || schema === 0 ? [] : [schemaFinding(schema, known)]),
    ...(await changedFile(import.meta.dirname, dataFolder)),
    ...(await refusedOptions(lane)),
    ...updateOf(slotsAbove(import.meta.dirname)),
  ]
}

/**
 * Returns a finding for the first file of the installed program that does not match its signature; none when the
 * program is not installed.
 */
export async function changedFile(programFolder: string, dataFolder: string): Promise<LaneFinding[]> {
  const found = findLaneSlots(programFolder, dataFolder, () => new Date())
  if (found === null) return []
  const folder = found.slots.folderOf(found.own)
  const installed = found.slots.installedIn(folder)
  const file = installed === null ? PROGRAM_SIGNED : await firstDamaged(folder, installed.program)
  return file === null ? [] : [finding('program-changed', { file: join(folder, ...file.split('/')) })]
}

/** Checks with the start's own code whether the next start would refuse its options, such as an unsafe environment. */
function refusedOptions(lane: ReadLane): Promise<LaneFinding[]> {
  const { dataFolder, bundle, profileFile, laneId, environment } = lane
  const profile = bundle.kind === 'sold' ? bundle.sold.profileFile : profileFile
  return refusalBy(lane, ({ mode }) => {
    // In production only: training gets the addresses of its services from the shell when it starts.
    if (mode === 'production' && profile !== null)
      readStart({ data: dataFolder, profile, lane: laneId, central: null }, environment)
  })
}

/** Checks whether the next start would refuse the data folder. Reads the sealing key and the database. */
export function refusedData(lane: ReadLane): Promise<LaneFinding[]> {
  const { dataFolder, environment } = lane
  return refusalBy(lane, async (owner) => {
    const key = readSealKey(environment)
    // A key in the system's key store can be opened only by the shell, so the check stops here.
    if (key === null && existsSync(join(dataFolder, 'seal-key.sealed'))) return
    const masterKey = refuseDataFolder(dataFolder, key, owner)
    if (masterKey !== null) await refuseDatabase(dataFolder, masterKey)
  })
}

/**
 * Runs a check of the start and returns its refusal. A running terminal has already passed it, so it is skipped then.
 */
async function refusalBy(
  { dataFolder, read, terminalPid }: ReadLane,
  check: (owner: FolderOwner) => void | Promise<void>,
): Promise<LaneFinding[]> {
  if (terminalPid !== null || read.kind !== 'good' || read.lane === null) return []
  const { mode, store } = read.profile
  try {
    await check({ mode, store: store.id, lane: read.lane.id })
    return []
  } catch (error) {
    const refused = folderRefusal(dataFolder, error)
    if (!(refused instanceof StartRefusedError)) throw error
    return [finding('start-refused', { reason: inEach((_, locale) => refusalText(refused, locale)) })]
  }
}

/** Maximum size in bytes of a database that is copied: a larger one would exceed the deadline of the check. */
const READ_BYTES = 64_000_000

/**
 * Throws the error with which a start would refuse the database. Reads a copy, because opening a database writes next
 * to it.
 */
async function refuseDatabase(dataFolder: string, masterKey: Uint8Array): Promise<void> {
  const database = join(dataFolder, 'terminal.db')
  const bytes = existsSync(database) ? statSync(database).size : 0
  if (bytes === 0 || bytes > READ_BYTES) return
  const folder = mkdtempSync(join(tmpdir(), 'milepost-check-'))
  try {
    for (const end of ['', '-wal'])
      if (existsSync(database + end)) copyFileSync(database + end, join(folder, `terminal.db${end}`))
    const [file, markFile] = [join(folder, 'terminal.db'), join(dataFolder, 'journal.mark')]
    const { problem } = await examineInWorker({ file, masterKey, inUse: false, markFile })
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

/** Offset of the user version in a database file: four bytes, big-endian (SQLite's file format, 1.3). */
const USER_VERSION_AT = 60
const HEADER_BYTES = 100

/** Reads the schema version from the file header without opening the database; null without a file. */
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

/** Returns the folder of the program slots; null unless the program is installed in slots. */
function slotsAbove(folder: string): string | null {
  const up = dirname(folder)
  if (up === folder) return null
  return basename(up) === 'slots' ? up : slotsAbove(up)
}

export function updateOf(slots: string | null): LaneFinding[] {
  const state = slots === null ? null : readSlots(slots)
  if (state === null) return []
  const { pending, trial, last } = state
  // Going back is not reported when a person requested it by the CLI command.
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

/** Checks whether the window's Electron version still gets fixes; a browser is updated by its system. */
export function checkElectron({ now }: Pick<ReadLane, 'now'>): LaneFinding[] {
  if (process.versions['electron'] === undefined) return [finding('electron-none')]
  const { major, until, state } = electronSupport(now())
  return [finding(SUPPORT[state], { major: String(major), day: dayIn(new Date(`${until}T00:00:00Z`), 'UTC') })]
}

export function checkWindow({ window }: Pick<ReadLane, 'window'>): LaneFinding[] {
  const electron = process.versions['electron']
  if (electron !== undefined) return [finding('window-electron', { version: electron })]
  switch (window.kind) {
    case 'here':
      return [finding('window-here')]
    case 'browser':
      return [window.name === null ? finding('window-none') : finding('window-browser', { name: window.name })]
    case 'not-checked':
      return [finding('window-unseen')]
  }
}

const CONNECTORS = '/sys/class/drm'

export function checkDisplay(connectors = CONNECTORS): LaneFinding[] {
  if (!existsSync(connectors)) return [finding('display-unseen')]
  const states = readdirSync(connectors)
    .map((name) => join(connectors, name, 'status'))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8').trim())
  if (states.length === 0) return [finding('display-unseen')]
  const count = states.filter((state) => state === 'connected').length
  if (count === 0) return [finding('display-none')]
  return [count === 1 ? finding('display-one') : finding('display-several', { count })]
}

/**
 * Checks whether the lane starts with the desktop session of its user. The remedy names the lane, because without a
 * name the first lane would start.
 */
export function checkAutostart({ environment, home, dataFolder, laneId, read }: ReadLane): LaneFinding[] {
  if (process.platform !== 'linux') return [finding('autostart-unseen')]
  const found = findAutostart(configFolderOf(environment, home))
  const ours = found.filter((one) => one.dataFolder === null || resolve(one.dataFolder) === resolve(dataFolder))
  const on = ours.find(({ enabled }) => enabled)
  const lane = (read.kind === 'good' ? read.lane?.id : null) ?? laneId ?? '…'
  if (on && on.program !== null && !existsSync(on.program))
    return [finding('autostart-no-program', { file: on.file, program: on.program, lane })]
  if (on) return [finding(on.kind === 'unit' ? 'autostart-unit' : 'autostart-entry', { file: on.file })]
  const [off] = ours
  if (off) return [finding('autostart-off', { file: off.file, lane })]
  const [other] = found
  return [other ? finding('autostart-other-folder', { file: other.file, lane }) : finding('autostart-none', { lane })]
}

interface PowerPlaces {
  readonly units: string
  readonly states: string
}
const POWER: PowerPlaces = { units: '/etc/systemd/system', states: '/sys/power/state' }
const SLEEPS = ['sleep.target', 'suspend.target']
const IDLE_KEY = ['get', 'org.gnome.settings-daemon.plugins.power', 'sleep-inactive-ac-type']

export async function checkPower(signal: AbortSignal, places = POWER): Promise<LaneFinding[]> {
  if (process.platform !== 'linux') return [finding('power-unseen')]
  const cannot = existsSync(places.states) && readFileSync(places.states, 'utf8').trim() === ''
  if (cannot || SLEEPS.every((unit) => isMasked(join(places.units, unit)))) return [finding('power-awake')]
  const idle = await output('gsettings', IDLE_KEY, signal)
  if (idle === null || idle === '') return [finding('power-unseen')]
  return [finding(idle === "'nothing'" ? 'power-awake' : 'power-sleeps')]
}

function isMasked(unit: string): boolean {
  try {
    return readlinkSync(unit) === '/dev/null'
  } catch {
    return false
  }
}
