import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { writeWhole } from '../whole-file.ts'
import { desktopEntry, ENTRY_NAME, folderOfEntry, isEntryOn } from './desktop-entry.ts'
import { programOf, type LaneStart } from './lane-start.ts'
import { folderOfUnit, systemdUnit, UNIT_NAME } from './unit.ts'

export type AutostartKind = 'unit' | 'entry'

/** What starts a lane with a session, as it stands in a person's own folder. */
export interface FoundAutostart {
  readonly kind: AutostartKind
  readonly file: string
  readonly enabled: boolean
  /** Null where it does not say. */
  readonly dataFolder: string | null
  /** The program that it starts; null where it does not say. */
  readonly program: string | null
}

const WANTED_BY = 'graphical-session.target.wants'

/** `configFolder`: XDG_CONFIG_HOME, or `.config` of the person's own folder. */
export const configFolderOf = (environment: NodeJS.ProcessEnv, home: string): string => {
  const given = environment['XDG_CONFIG_HOME']
  return given !== undefined && path.isAbsolute(given) ? given : path.join(home, '.config')
}

const unitFolder = (configFolder: string): string => path.join(configFolder, 'systemd', 'user')
const fileOf = (configFolder: string, kind: AutostartKind): string =>
  kind === 'unit' ? path.join(unitFolder(configFolder), UNIT_NAME) : path.join(configFolder, 'autostart', ENTRY_NAME)
const linkOf = (configFolder: string): string => path.join(unitFolder(configFolder), WANTED_BY, UNIT_NAME)

/** Every start of a lane that is set up here. Errors of the file system are thrown as they are. */
export function findAutostart(configFolder: string): FoundAutostart[] {
  const [unit, entry] = [fileOf(configFolder, 'unit'), fileOf(configFolder, 'entry')]
  const found: FoundAutostart[] = []
  if (existsSync(unit)) {
    const enabled = lstatSync(linkOf(configFolder), { throwIfNoEntry: false }) !== undefined
    const text = readFileSync(unit, 'utf8')
    found.push({ kind: 'unit', file: unit, enabled, dataFolder: folderOfUnit(text), program: programOf(text) })
  }
  if (existsSync(entry)) {
    const text = readFileSync(entry, 'utf8')
    const [enabled, dataFolder] = [isEntryOn(text), folderOfEntry(text)]
    found.push({ kind: 'entry', file: entry, enabled, dataFolder, program: programOf(text) })
  }
  return found
}

/**
 * Sets one up and takes the other away: two would start the lane twice. A unit is enabled as `systemctl --user enable`
 * does it, by a link, so that a machine can be set up before its systemd runs.
 */
export function installAutostart(
  configFolder: string,
  kind: AutostartKind,
  start: LaneStart,
  systemd: number | null,
): string {
  const text = kind === 'unit' ? systemdUnit(start, systemd) : desktopEntry(start)
  const file = fileOf(configFolder, kind)
  mkdirSync(path.dirname(file), { recursive: true })
  writeWhole(file, Buffer.from(text))
  if (kind === 'unit') enable(configFolder, file)
  // Last: on a full disk the lane starts as it did.
  remove(configFolder, kind === 'unit' ? 'entry' : 'unit')
  return file
}

function enable(configFolder: string, file: string): void {
  const link = linkOf(configFolder)
  mkdirSync(path.dirname(link), { recursive: true })
  rmSync(link, { force: true })
  symlinkSync(file, link)
}

function remove(configFolder: string, kind: AutostartKind): void {
  if (kind === 'unit') rmSync(linkOf(configFolder), { force: true })
  rmSync(fileOf(configFolder, kind), { force: true })
}

/** Answers what was there. */
export function removeAutostart(configFolder: string): FoundAutostart[] {
  const found = findAutostart(configFolder)
  remove(configFolder, 'unit')
  remove(configFolder, 'entry')
  return found
}
