import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { writeWhole } from './whole-file.ts'
import { z } from 'zod'

export const ENTRY_NAME = 'milepost.desktop'

/**
 * The entry by which a desktop starts a lane when the user signs in (Desktop Entry Specification 1.5). An entry does
 * not restart the lane; a systemd unit does. Throws an Error for a path that no entry can contain.
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

export function folderOfEntry(text: string): string | null {
  const written = /^X-Milepost-Data=(.+)$/m.exec(text)?.[1]
  return written?.replaceAll('\\\\', '\\') ?? null
}

/**
 * Returns whether an autostart entry is enabled. It is disabled if it is hidden, or if the user switched it off in the
 * desktop settings.
 */
export const isEntryOn = (text: string): boolean =>
  !/^Hidden=true$/m.test(text) && !/^X-GNOME-Autostart-enabled=false$/m.test(text)

/**
 * Escapes a value of type string: a backslash begins an escape (Desktop Entry Specification §4, "Possible value
 * types").
 */
function value(text: string): string {
  if (hasUnprintable(text))
    throw new Error(
      `A desktop entry cannot contain this text: ${JSON.stringify(text)}. Choose a path without control characters.`,
    )
  return text.replaceAll('\\', '\\\\')
}

/**
 * Quotes an argument of Exec: in quotes, four characters are escaped by a backslash, and `%` is doubled because it
 * begins a field code.
 */
const quotedExec = (argument: string): string => `"${argument.replace(/["`$\\]/g, '\\$&').replaceAll('%', '%%')}"`

export interface LaneStart {
  readonly argv: readonly [string, ...string[]]
  readonly workingFolder: string
  readonly dataFolder: string
}

/** Characters that systemd rejects in the path of a program, or that GLib does not unquote. */
const UNSAFE_IN_PROGRAM = /["'\\`$%]/

export const startable = ({ argv }: LaneStart): readonly [string, ...string[]] =>
  UNSAFE_IN_PROGRAM.test(argv[0]) ? ['/bin/sh', '-c', 'exec "$0" "$@"', ...argv] : argv

/** Returns whether the text has a line end or another control character, which a settings file cannot contain. */
export const hasUnprintable = (text: string): boolean => /\p{Cc}/u.test(text)

/**
 * Returns the program of a unit or an entry. Its path has no escapes, because a shell starts a program whose path needs
 * them; then `/bin/sh` is returned.
 */
export const programOf = (text: string): string | null => /^Exec(?:Start)?="([^"]+)"/m.exec(text)?.[1] ?? null

export type AutostartKind = 'unit' | 'entry'

export interface FoundAutostart {
  readonly kind: AutostartKind
  readonly file: string
  readonly enabled: boolean
  readonly dataFolder: string | null
  readonly program: string | null
}

const WANTED_BY = 'graphical-session.target.wants'

/** `configFolder`: XDG_CONFIG_HOME, or `.config` in the user's home folder. */
export const configFolderOf = (environment: NodeJS.ProcessEnv, home: string): string => {
  const given = environment['XDG_CONFIG_HOME']
  return given !== undefined && path.isAbsolute(given) ? given : path.join(home, '.config')
}

const unitFolder = (configFolder: string): string => path.join(configFolder, 'systemd', 'user')
const fileOf = (configFolder: string, kind: AutostartKind): string =>
  kind === 'unit' ? path.join(unitFolder(configFolder), UNIT_NAME) : path.join(configFolder, 'autostart', ENTRY_NAME)
const linkOf = (configFolder: string): string => path.join(unitFolder(configFolder), WANTED_BY, UNIT_NAME)

/** Returns every autostart of a lane in this folder. Throws file system errors unchanged. */
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
 * Sets up one kind of autostart and removes the other: two would start the lane twice. A unit is enabled by a link, as
 * `systemctl --user enable` does, so that a machine can be set up before its systemd runs.
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
  // The other kind is removed last, so that a full disk leaves the existing autostart.
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

export function removeAutostart(configFolder: string): FoundAutostart[] {
  const found = findAutostart(configFolder)
  remove(configFolder, 'unit')
  remove(configFolder, 'entry')
  return found
}

export const UNIT_NAME = 'milepost.service'
/**
 * Exit codes after which systemd does not restart the lane, because a restart does not help: wrong arguments, profile
 * or secret (2), data missing (4).
 */
const FINAL_EXIT_CODES = [2, 4]
/** First version of systemd that can increase the delay after each failure (NEWS of systemd 254). */
const GROWING_WAITS_SINCE = 254
const FIRST_WAIT_SECONDS = 2
const LONGEST_WAIT_SECONDS = 60
const STEPS = 5

/**
 * The unit that starts a lane with the user's graphical session and restarts the lane. `systemd`: version of systemd;
 * null if unknown. Throws an Error for a path that no unit can contain.
 */
export function systemdUnit(start: LaneStart, systemd: number | null): string {
  const grows = systemd !== null && systemd >= GROWING_WAITS_SINCE
  return [
    '[Unit]',
    'Description=Milepost point-of-sale terminal',
    'PartOf=graphical-session.target',
    'After=graphical-session.target',
    '# Restarts without a limit for as long as the session lasts.',
    'StartLimitIntervalSec=0',
    `X-Milepost-Data=${JSON.stringify(lineOf(start.dataFolder))}`,
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${startable(start).map(quoted).join(' ')}`,
    `WorkingDirectory=${escapeSpecifiers(lineOf(start.workingFolder))}`,
    'Restart=always',
    `RestartSec=${FIRST_WAIT_SECONDS}`,
    ...(grows ? [`RestartSteps=${STEPS}`, `RestartMaxDelaySec=${LONGEST_WAIT_SECONDS}`] : []),
    '# Errors that a restart cannot fix are logged once, in the journal of the session.',
    `RestartPreventExitStatus=${FINAL_EXIT_CODES.join(' ')}`,
    '# The terminal stops its own processes gracefully, so that a sale that is being saved is saved.',
    'KillMode=mixed',
    'TimeoutStopSec=30',
    '',
    '[Install]',
    'WantedBy=graphical-session.target',
    '',
  ].join('\n')
}

export function folderOfUnit(text: string): string | null {
  try {
    return z.string().parse(JSON.parse(/^X-Milepost-Data=(.+)$/m.exec(text)?.[1] ?? ''))
  } catch {
    return null
  }
}

function lineOf(text: string): string {
  if (hasUnprintable(text))
    throw new Error(
      `A unit cannot contain this path: ${JSON.stringify(text)}. Choose a path without control characters.`,
    )
  return text
}

const escapeSpecifiers = (text: string): string => text.replaceAll('%', '%%')

/**
 * Quotes an argument of ExecStart as systemd parses it (systemd.service(5), "Command lines"): in quotes, with its
 * escapes; `%` begins a specifier and `$` a variable.
 */
function quoted(argument: string): string {
  const escaped = escapeSpecifiers(lineOf(argument)).replaceAll('\\', '\\\\').replaceAll('"', '\\"')
  return `"${escaped.replaceAll('$', '$$$$')}"`
}
