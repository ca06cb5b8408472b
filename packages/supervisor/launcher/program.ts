import path from 'node:path'
import { CATALOGS } from '../../../contracts/i18n/catalogs.ts'
import { lockFolder } from '../folder-lock.ts'
import { laneProfile, type LaneProfileOptions } from '../lane-profile.ts'
import { packageFolderOf, readPackagedStore, storeFolderOf } from '../profile-outline.ts'
import { defaultDataFolder, refuseUnnamedLane } from '../places.ts'
import { TerminalRefused } from '../refused.ts'
import type { Locale } from '../../../contracts/core/locales.ts'
import type { Say } from './words.ts'
import { chooseLane, needsKeyStore } from './run-terminal.ts'
import { spawn } from 'node:child_process'
import { type OwnSlots, type TrialNews, untilOwnTurn } from '../own-slots.ts'
import { type TrialOptions, UNDER_ANOTHER } from '../run-trial.ts'
import { UPDATE_EXIT_CODE } from '../supervise.ts'
import { CommandLineError, type Declared, readCommandLine } from '../../../contracts/core/command-line.ts'

/** A program of a package and how it speaks; what a command is given. */
export interface Program {
  /** The folder of this program: `slots/a`. */
  readonly folder: string
  readonly say: Say
  readonly locale: Locale
  /** As it was named, or the store’s, for the programs that this one starts; null: neither is known. */
  readonly language: string | null
  readonly log: (line: string) => void
}

/** One lane of the store that the package was made for. */
export type Lane = LaneProfileOptions & { readonly trustFile: string }

/** The language of the store that the program was installed for; null where there is none to be read. */
export function localeOfStore(folder: string): Locale | null {
  try {
    const packageFolder = packageFolderOf(folder)
    return packageFolder === null ? null : readPackagedStore(storeFolderOf(packageFolder)).locale
  } catch {
    // Whoever needs the store says what is wrong with it.
    return null
  }
}

/** Throws TerminalRefused in words. */
export function laneOf(
  { folder, log, say, locale }: Program,
  asked: { readonly lane?: string; readonly data?: string },
): Lane {
  const packageFolder = packageFolderOf(folder)
  if (packageFolder === null) throw new TerminalRefused(say('noPackage', { folder }), 2)
  const store = readPackagedStore(storeFolderOf(packageFolder))
  refuseUnnamedLane(store.outline, { lane: asked.lane ?? null, data: asked.data ?? null })
  const lane = chooseLane(store.outline, asked.lane ?? null)
  const dataFolder = path.resolve(asked.data ?? defaultDataFolder(store.outline.storeId, lane))
  const words = CATALOGS[locale].starting
  return { ...store, profileFile: null, lane, dataFolder, now: () => new Date(), log, words }
}

/** The lane's profile for a program that is not its terminal, while none runs there. Throws TerminalRefused. */
export async function withProfile<T>(lane: Lane, { say }: Program, work: (file: string) => Promise<T>): Promise<T> {
  if (needsKeyStore(lane)) throw new TerminalRefused([['keyAway']], 2)
  const lock = await lockFolder(lane.dataFolder)
  if ('heldBy' in lock) throw new TerminalRefused(say('running', { process: lock.heldBy, folder: lane.dataFolder }), 3)
  try {
    return await work(laneProfile(lane).file())
  } finally {
    await lock.release()
  }
}

/** Main file of another program beside this one. */
export const programFile = ({ folder }: Program, ...parts: string[]): string => path.join(folder, ...parts)

export interface StartInSlots extends OwnSlots, Pick<TrialOptions, 'askedToEnd' | 'patienceMs' | 'stopMs'> {
  readonly dataFolder: string
  readonly terminal: () => Promise<number>
  /** As they were given to `start`. */
  readonly args: readonly string[]
  readonly program: Program
}

/** This program's terminal, or the new version's while it is tried: the exit code. */
export async function startInSlots(options: StartInSlots): Promise<number> {
  const { slots, own, terminal, program } = options
  const args = ['start', ...options.args, ...(program.language === null ? [] : ['--language', program.language])]
  for (;;) {
    const code = (await untilOwnTurn({ ...options, args, news: newsOf(program) })) ?? (await terminal())
    // Whoever watches this one starts the good one anew.
    if (code !== UPDATE_EXIT_CODE || process.env[UNDER_ANOTHER] === '1') return code
    if (own !== slots.state().good) return startGood(slots.root, args)
  }
}

const newsOf = ({ say, log }: Program): TrialNews => ({
  tries: (version) => log(say('update.tries', { version })),
  failed: (version, why) => log(say('update.tryFailed', { version, why: say(`update.why.${why}`) })),
  wentBack: (version) => log(say('update.wentBack', { version })),
  notNoted: (why) => log(say('update.notNoted', { why })),
})

/** In the place of this program: its files are those of an older one by now. */
function startGood(root: string, args: readonly string[]): number {
  const { [UNDER_ANOTHER]: _, ...env } = process.env
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
 * Runs a program of the backend to its end, with its input and output those of this one: what is typed there is in no
 * list of processes. Resolves with its exit code.
 */
export function runBeside(program: Program, script: string, args: readonly string[]): Promise<number> {
  const language = program.language === null ? [] : ['--language', program.language]
  const file = programFile(program, 'backend', script)
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file, ...args, ...language], { stdio: 'inherit', windowsHide: true })
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

/** A command of `milepost` and what stands behind its name: the exit code. Throws TerminalRefused in words. */
export type Command = (args: readonly string[], program: Program) => Promise<number>

/**
 * The options of a command and the words besides them; `--language` is read before them all. Throws TerminalRefused
 * with the mistake and where the help is.
 */
export function readOptions<
  const Texts extends string,
  const Flags extends string = never,
  const Wholes extends string = never,
>(
  args: readonly string[],
  { say }: Program,
  declared: Omit<Declared<Texts, Flags, never, Wholes>, 'words'>,
  [least, most]: readonly [least: number, most: number] = [0, 0],
) {
  const refuse = (message: string): never => {
    throw new TerminalRefused(`${message}\n${say('seeHelp')}`, 2)
  }
  try {
    const read = readCommandLine(args, { ...declared, words: true })
    return read.words.length < least || read.words.length > most ? refuse(say('wrongWords')) : read
  } catch (error) {
    if (!(error instanceof CommandLineError)) throw error
    const { option, word: port } = error.values
    if (error.key === 'wholeNumber') throw new TerminalRefused(say('wrongPort', { port }), 2)
    return refuse(say(error.key === 'optionTwice' ? 'optionTwice' : 'wrongOption', { option }))
  }
}
