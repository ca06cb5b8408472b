import path from 'node:path'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { lockFolder } from '../folder-lock.ts'
import { laneProfile, type LaneProfileOptions } from '../lane-profile.ts'
import { packageFolderOf, readPackagedStore, storeFolderOf } from '../profile-outline.ts'
import { defaultDataFolder, refuseUnnamedLane } from '../places.ts'
import { TerminalRefused } from '../terminal-refused.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Translate } from './translators.ts'
import { chooseLane, needsKeyStore } from './run-terminal.ts'
import { spawn } from 'node:child_process'
import { type OwnSlots, type TrialListener, runTrials } from '../own-slots.ts'
import { type TrialOptions, SUPERVISED } from '../run-trial.ts'
import { UPDATE_EXIT_CODE } from '../supervise.ts'
import { CommandLineError, type Declared, readCommandLine } from '../../../contracts/core/command-line.ts'

export interface Program {
  readonly folder: string
  readonly translate: Translate
  readonly locale: Locale
  readonly language: string | null
  readonly log: (line: string) => void
}

export type LaunchedLane = LaneProfileOptions & { readonly trustFile: string }

/** Returns the language of the installed store; null if it cannot be read. */
export function localeOfStore(folder: string): Locale | null {
  try {
    const packageFolder = packageFolderOf(folder)
    return packageFolder === null ? null : readPackagedStore(storeFolderOf(packageFolder)).locale
  } catch {
    return null
  }
}

export function laneOf(
  { folder, log, translate, locale }: Program,
  options: { readonly lane?: string; readonly data?: string },
): LaunchedLane {
  const packageFolder = packageFolderOf(folder)
  if (packageFolder === null) throw new TerminalRefused(translate('noPackage', { folder }), 2)
  const store = readPackagedStore(storeFolderOf(packageFolder))
  refuseUnnamedLane(store.outline, { lane: options.lane ?? null, data: options.data ?? null })
  const lane = chooseLane(store.outline, options.lane ?? null)
  const dataFolder = path.resolve(options.data ?? defaultDataFolder(store.outline.storeId, lane))
  const messages = CATALOGS[locale].starting
  return { ...store, profileFile: null, lane, dataFolder, now: () => new Date(), log, messages: messages }
}

/** Runs `work` with the lane’s profile while no terminal runs. Throws TerminalRefused if one does. */
export async function withProfile<T>(
  lane: LaunchedLane,
  { translate }: Program,
  work: (file: string) => Promise<T>,
): Promise<T> {
  if (needsKeyStore(lane)) throw new TerminalRefused([['keyAway']], 2)
  const lock = await lockFolder(lane.dataFolder)
  if ('heldBy' in lock)
    throw new TerminalRefused(translate('running', { process: lock.heldBy, folder: lane.dataFolder }), 3)
  try {
    return await work(laneProfile(lane).file())
  } finally {
    await lock.release()
  }
}

export const programFile = ({ folder }: Program, ...segments: string[]): string => path.join(folder, ...segments)

export interface StartInSlots extends OwnSlots, Pick<TrialOptions, 'stopRequested' | 'patienceMs' | 'stopMs'> {
  readonly dataFolder: string
  readonly terminal: () => Promise<number>
  readonly args: readonly string[]
  readonly program: Program
}

/** Runs the terminal of this version, or that of a new version during its trial. Returns the exit code. */
export async function startInSlots(options: StartInSlots): Promise<number> {
  const { slots, own, terminal, program } = options
  const args = ['start', ...options.args, ...(program.language === null ? [] : ['--language', program.language])]
  for (;;) {
    const code = (await runTrials({ ...options, args, listener: listenerOf(program) })) ?? (await terminal())
    if (code !== UPDATE_EXIT_CODE || process.env[SUPERVISED] === '1') return code
    if (own !== slots.state().good) return startGood(slots.root, args)
  }
}

const listenerOf = ({ translate, log }: Program): TrialListener => ({
  tries: (version) => log(translate('update.tries', { version })),
  failed: (version, why) => log(translate('update.tryFailed', { version, why: translate(`update.why.${why}`) })),
  rolledBack: (version) => log(translate('update.wentBack', { version })),
  notRecorded: (why) => log(translate('update.notNoted', { why })),
})

function startGood(root: string, args: readonly string[]): number {
  const { [SUPERVISED]: _, ...env } = process.env
  const isWindows = process.platform === 'win32'
  const starter = path.join(root, isWindows ? 'milepost.cmd' : 'milepost')
  if (!isWindows && process.execve) {
    const named = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value ?? '']))
    process.execve(starter, [starter, ...args], named)
  }
  spawn(starter, [...args], { detached: true, stdio: 'ignore', env, shell: isWindows }).unref()
  return 0
}

/**
 * Runs a CLI command of the backend with this process’s input and output, so that typed secrets are in no process list.
 * Resolves with the exit code.
 */
export function runBackendProgram(program: Program, script: string, args: readonly string[]): Promise<number> {
  const language = program.language === null ? [] : ['--language', program.language]
  const file = programFile(program, 'backend', script)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args, ...language], { stdio: 'inherit', windowsHide: true })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

/** Runs a CLI command of `milepost` with its arguments; resolves with the exit code. Throws TerminalRefused. */
export type Command = (args: readonly string[], program: Program) => Promise<number>

/**
 * Parses the options and arguments of a CLI command; `--language` was parsed before. Throws TerminalRefused with the
 * mistake and a reference to the help.
 */
export function readOptions<
  const Texts extends string,
  const Flags extends string = never,
  const Wholes extends string = never,
>(
  args: readonly string[],
  { translate }: Program,
  declared: Omit<Declared<Texts, Flags, never, Wholes>, 'words'>,
  [least, most]: readonly [least: number, most: number] = [0, 0],
) {
  const refuse = (message: string): never => {
    throw new TerminalRefused(`${message}\n${translate('seeHelp')}`, 2)
  }
  try {
    const read = readCommandLine(args, { ...declared, words: true })
    return read.words.length < least || read.words.length > most ? refuse(translate('wrongWords')) : read
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error
    const { option, value: port } = error.values
    if (error.key === 'wholeNumber') throw new TerminalRefused(translate('wrongPort', { port }), 2)
    return refuse(translate(error.key === 'optionTwice' ? 'optionTwice' : 'wrongOption', { option }))
  }
}
