import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { writeWhole } from './whole-file.ts'
import { z } from 'zod'

export const ENTRY_NAME = 'milepost.desktop'

/**
 * The entry by which a desktop starts a lane when somebody signs in (Desktop Entry Specification 1.5). It starts it
 * once and no more: who wants it started again takes the unit. Throws an Error for a path that no entry can hold.
 */
export const desktopEntry = (start: LaneStart): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Milepost',
    'Comment=Point-of-sale terminal',
    'Comment[fr]=Terminal de caisse',
    `Exec=${value(startable(start).map(quotedExec).join(' '))}`,
    `Path=${value(start.workingFolder)}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    `X-Milepost-Data=${value(start.dataFolder)}`,
    '',
  ].join('\n')

/** The data folder that an entry starts a lane on; null where it says none. */
export function folderOfEntry(text: string): string | null {
  const written = /^X-Milepost-Data=(.+)$/m.exec(text)?.[1]
  return written?.replaceAll('\\\\', '\\') ?? null
}

/** Off are an entry that is hidden, and one that a person has switched off in their desktop. */
export const isEntryOn = (text: string): boolean =>
  !/^Hidden=true$/m.test(text) && !/^X-GNOME-Autostart-enabled=false$/m.test(text)

/** A value of type string: a backslash is an escape (§4, "Possible value types"). */
function value(text: string): string {
  if (hasUnprintable(text)) throw new Error(`A desktop entry cannot hold this: ${JSON.stringify(text)}`)
  return text.replaceAll('\\', '\\\\')
}

/** An argument of Exec: in quotes, four signs behind a backslash, and `%` twice, for alone it begins a field code. */
const quotedExec = (argument: string): string => `"${argument.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`

/** How a lane is started, whatever starts it. */
export interface LaneStart {
  /** The program and its arguments, each as the program is to see it. */
  readonly command: readonly [string, ...string[]]
  /** Absolute. */
  readonly workingFolder: string
  /** Absolute. */
  readonly dataFolder: string
}

/** What systemd refuses in the name of a program, or GLib looks up as it is written. */
const HARD_FOR_A_PROGRAM = /["'\\`$%]/

/** The command, by a shell where the program's own path is one that not everybody can start. */
export const startable = ({ command }: LaneStart): readonly [string, ...string[]] =>
  HARD_FOR_A_PROGRAM.test(command[0]) ? ['/bin/sh', '-c', 'exec "$0" "$@"', ...command] : command

/** A line's end, or another sign that no line of a settings file can hold. */
export const hasUnprintable = (text: string): boolean => /\p{Cc}/u.test(text)

/** The program of a unit or an entry, which needs no escapes: what does is started by a shell. */
export const programOf = (text: string): string | null => /^Exec(?:Start)?="([^"]+)"/m.exec(text)?.[1] ?? null

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

/** The unit's name, and so the one by which `systemctl --user` knows it. */
export const UNIT_NAME = 'milepost.service'
/** Ends that another start does not mend: wrong arguments, profile or secret (2), data missing (4). */
const FINAL_EXIT_CODES = [2, 4]
/** From this version on systemd waits longer after each failure (NEWS of systemd 254). */
const GROWING_WAITS_SINCE = 254
const FIRST_WAIT_SECONDS = 2
const LONGEST_WAIT_SECONDS = 60
const STEPS = 5

/**
 * The unit that starts a lane with a person's graphical session and again whenever it ends. `systemd`: its version;
 * null where it is not known. Throws an Error for a path that no unit can hold.
 */
export function systemdUnit(start: LaneStart, systemd: number | null): string {
  const grows = systemd !== null && systemd >= GROWING_WAITS_SINCE
  return [
    '[Unit]',
    'Description=Milepost point-of-sale terminal',
    'PartOf=graphical-session.target',
    'After=graphical-session.target',
    '# It is tried for as long as the session lasts.',
    'StartLimitIntervalSec=0',
    `X-Milepost-Data=${JSON.stringify(lineOf(start.dataFolder))}`,
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${startable(start).map(quoted).join(' ')}`,
    `WorkingDirectory=${specifiersAsTheyStand(lineOf(start.workingFolder))}`,
    'Restart=always',
    `RestartSec=${FIRST_WAIT_SECONDS}`,
    ...(grows ? [`RestartSteps=${STEPS}`, `RestartMaxDelaySec=${LONGEST_WAIT_SECONDS}`] : []),
    '# What a start cannot mend is told once, in the journal of the session.',
    `RestartPreventExitStatus=${FINAL_EXIT_CODES.join(' ')}`,
    '# The terminal ends its own parts in order: a sale that is being saved is saved.',
    'KillMode=mixed',
    'TimeoutStopSec=30',
    '',
    '[Install]',
    'WantedBy=graphical-session.target',
    '',
  ].join('\n')
}

/** The data folder that a unit starts a lane on; null where it says none. */
export function folderOfUnit(text: string): string | null {
  try {
    return z.string().parse(JSON.parse(/^X-Milepost-Data=(.+)$/m.exec(text)?.[1] ?? ''))
  } catch {
    return null
  }
}

function lineOf(text: string): string {
  if (hasUnprintable(text)) throw new Error(`A unit cannot hold this path: ${JSON.stringify(text)}`)
  return text
}

const specifiersAsTheyStand = (text: string): string => text.replaceAll('%', '%%')

/**
 * An argument of ExecStart as systemd takes it apart (systemd.service(5), "Command lines"): in quotes, with its
 * escapes; `%` begins a specifier and `$` a variable.
 */
function quoted(argument: string): string {
  const escaped = specifiersAsTheyStand(lineOf(argument)).replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  return `"${escaped.replaceAll('$', '$$$$')}"`
}
