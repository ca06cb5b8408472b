import path from 'node:path'
import { CATALOGS } from '../contracts/i18n/catalogs.ts'
import { lockFolder } from '../electron/folder-lock.ts'
import { laneProfile, type LaneProfileOptions } from '../electron/lane-profile.ts'
import { packageFolderOf, readPackagedStore, storeFolderOf } from '../electron/packaged-store.ts'
import { defaultDataFolder } from '../electron/places.ts'
import { TerminalRefused } from '../electron/refused.ts'
import { refuseUnnamedLane } from '../electron/unnamed-lane.ts'
import type { Locale } from '../contracts/locales.ts'
import type { Say } from './words.ts'
import { chooseLane, needsKeyStore } from './run-terminal.ts'

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
