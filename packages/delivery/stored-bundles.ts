import { existsSync, lstatSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { makeFolder, writeFolder, writeWhole } from './whole-file.ts'
import { type Bundle, readBundle, sha256 } from './bundle.ts'
import { type BundleManifest, PROFILE_FILE } from './manifest.ts'
import { type TrustList, newestTrust, openTrust } from './trust.ts'

const BundleId = z.string().regex(/^[0-9a-f]{64}$/)

/**
 * Why the lane's active bundle is not the last one stored. `refused`: no terminal starts with the last one; `damaged`:
 * it differs from its signature; `recovered`: the bundle state was lost.
 */
export const Notice = z.object({
  kind: z.enum(['refused', 'damaged', 'recovered']),
  id: BundleId.nullable(),
  /** Sequence of the bundle that the notice is about; for a recovery, that of the active bundle. */
  number: z.int().nullable(),
  at: z.iso.datetime(),
  /** The terminal's messages about the bundle, one per line. */
  words: z.array(z.string()),
})
export type Notice = z.infer<typeof Notice>

/**
 * State of a lane's bundles. Written by the start of the terminal, of which there is one at a time; a CLI command only
 * creates it, empty, before the first bundle is stored.
 */
const State = z.object({
  format: z.literal(1),
  current: BundleId.nullable(),
  previous: BundleId.nullable(),
  /** Sequence of the newest bundle that was ever active: an older bundle is rejected. */
  newest: z.int().min(0),
  proven: z.boolean().default(false),
  /**
   * Version of the newest list of trusted keys when a bundle last became active by an instruction, or the state was
   * recovered: while that list is missing on the disk, no new bundle becomes active.
   */
  trustVersion: z.int().min(0).default(0),
  notice: Notice.nullable().default(null),
})
export type State = z.infer<typeof State>
export const EMPTY: State = {
  format: 1,
  current: null,
  previous: null,
  newest: 0,
  proven: false,
  trustVersion: 0,
  notice: null,
}

const stateFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'state.json')

export function readState(dataFolder: string): State | null {
  try {
    return State.parse(JSON.parse(readFileSync(stateFileOf(dataFolder), 'utf8')))
  } catch {
    return null
  }
}

export const writeState = (dataFolder: string, state: State): void => {
  writeWhole(stateFileOf(dataFolder), `${JSON.stringify(state)}\n`)
}

export const hasState = (dataFolder: string): boolean => existsSync(stateFileOf(dataFolder))

export interface ActiveBundle {
  readonly id: string
  readonly manifest: BundleManifest
  readonly profileFile: string
}

export class StoredBundles {
  private readonly ownTrust: TrustList
  readonly folder: string
  private readonly trustFolder: string

  constructor(dataFolder: string, ownTrust: TrustList) {
    this.ownTrust = ownTrust
    this.folder = bundlesOf(dataFolder)
    this.trustFolder = path.join(this.folder, 'trust')
  }

  placeOf(id: string): string {
    return path.join(this.folder, id)
  }

  /** Reads the trusted keys. They are read from the disk each time, because a bundle may have brought a newer list. */
  trust(): TrustList {
    const files = existsSync(this.trustFolder)
      ? readdirSync(this.trustFolder)
          .map((name) => path.join(this.trustFolder, name))
          .filter(isFile)
          .map((file) => readFileSync(file))
      : []
    return newestTrust(this.ownTrust, files)
  }

  /**
   * Returns a stored bundle. A bundle whose key was revoked later is still valid: a revocation must not close a store.
   */
  find(id: string): Bundle | null {
    const file = path.join(this.placeOf(id), 'bundle')
    if (!isFile(file)) return null
    const { keys, revoked } = this.trust()
    const read = readBundle(readFileSync(file), { keys: [...keys, ...revoked], revoked: [] })
    return 'bundle' in read && read.bundle.id === id ? read.bundle : null
  }

  activeBundle({ id, manifest }: Bundle): ActiveBundle {
    return {
      id,
      manifest,
      profileFile: path.join(this.placeOf(id), 'files', PROFILE_FILE),
    }
  }

  isRevoked({ keyId }: Bundle): boolean {
    return this.trust().revoked.some(({ id }) => id === keyId)
  }

  all(): Bundle[] {
    const names = existsSync(this.folder) ? readdirSync(this.folder).filter((name) => /^[0-9a-f]{64}$/.test(name)) : []
    return names
      .flatMap((name) => this.find(name) ?? [])
      .toSorted((one, other) => other.manifest.sequence - one.manifest.sequence)
  }

  write(bundle: Bundle, file: Uint8Array): void {
    makeFolder(this.folder, 0o700)
    writeFolder(
      this.placeOf(bundle.id),
      new Map([['bundle', file], ...[...bundle.files].map(([name, bytes]) => [`files/${name}`, bytes] as const)]),
    )
  }

  remove(id: string): void {
    rmSync(this.placeOf(id), { recursive: true, force: true })
  }

  /**
   * Stores the lists of trusted keys that lead from the known list to a newer one, each signed by a key of the list
   * before it. Returns whether there was a newer list.
   */
  saveTrust(files: readonly Uint8Array[]): boolean {
    const before = this.trust()
    const after = newestTrust(before, files)
    const { keys, revoked } = after
    for (const file of files) {
      const place = path.join(this.trustFolder, `${sha256(file)}.keys`)
      const opened = openTrust(file, { keys: [...keys, ...revoked], revoked: [] })
      if (existsSync(place) || !('value' in opened)) continue
      // Older lists are stored too if they lead to the newest: an older package that is reinstalled begins with one of
      // them.
      if (newestTrust(opened.value, files).version !== after.version) continue
      makeFolder(this.trustFolder, 0o700)
      writeWhole(place, file)
    }
    return after.version !== before.version
  }

  /**
   * Restores files that differ from the manifest from the signed bundle. Replaces them one by one, because the bundle
   * next to them is the only copy.
   */
  repaired(bundle: Bundle): ActiveBundle {
    const { id, manifest, files } = bundle
    for (const { path: name, bytes, sha256: hash } of manifest.files) {
      const file = path.join(this.placeOf(id), 'files', ...name.split('/'))
      // A link is replaced, because its target could change after this check.
      const isSame = isFile(file) && statSync(file).size === bytes && sha256(readFileSync(file)) === hash
      if (isSame) continue
      makeFolder(path.dirname(file), 0o700)
      if (!isFile(file)) rmSync(file, { recursive: true, force: true })
      writeWhole(file, files.get(name) ?? new Uint8Array())
    }
    return this.activeBundle(bundle)
  }
}

export const isFile = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true

export const isOfSameStore = (one: BundleManifest, other: BundleManifest): boolean =>
  one.store.id === other.store.id && one.mode === other.mode

/**
 * How far the lane's clock was ahead when it was last compared with the loyalty program's services. A running terminal
 * compares, and the next start needs the result for the times of bundles before it can compare again.
 */
const Ahead = z.strictObject({ aheadMs: z.int().min(0) })
const clockFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'clock.json')

/**
 * Returns how far the clock was ahead, in milliseconds; 0 if it was right or behind (then a bundle becomes active late,
 * and no price early), or was never compared.
 */
export function readClockAhead(dataFolder: string): number {
  try {
    return Ahead.parse(JSON.parse(readFileSync(clockFileOf(dataFolder), 'utf8'))).aheadMs
  } catch {
    return 0
  }
}

/** Records how far the lane's clock is ahead. Called only on a lane with bundles, where the folder exists. */
export function storeClockAhead(dataFolder: string, aheadMs: number): void {
  if (aheadMs > 0) writeWhole(clockFileOf(dataFolder), `${JSON.stringify({ aheadMs: Math.round(aheadMs) })}\n`)
  else rmSync(clockFileOf(dataFolder), { force: true })
}

/**
 * A waiting instruction to activate a stored bundle or to restore the previous one, which a later start executes;
 * CLI commands write it also while a terminal runs.
 */
export const BundleInstruction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('put'), id: BundleId, from: z.iso.datetime().nullable() }),
  z.strictObject({ kind: z.literal('undo'), to: BundleId }),
])
export type BundleInstruction = z.infer<typeof BundleInstruction>
const BundleInstructions = z.array(BundleInstruction)

export const bundlesOf = (dataFolder: string): string => path.join(dataFolder, 'bundles')
/** The list of trusted keys that a lane without a package got with its first bundle. */
export const trustFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'own.keys')
export const instructionFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'order.json')
export const laterFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'later.json')

/**
 * Returns the instructions that are due now, as JSON; null if no instruction is due. The start validates them, and
 * drops an instruction that cannot be executed.
 */
export function dueInstructions(dataFolder: string, now: Date): string | null {
  const due = readInstructions(dataFolder).filter((instruction) => isInstructionDue(instruction, now))
  return due.length > 0 ? JSON.stringify(due) : null
}

/** Returns all waiting instructions, the one for the next start first. Treats an unreadable file as empty. */
export function readInstructions(dataFolder: string): BundleInstruction[] {
  const next = parsed(instructionFileOf(dataFolder), BundleInstruction)
  return [...(next === null ? [] : [next]), ...(parsed(laterFileOf(dataFolder), BundleInstructions) ?? [])]
}

export const hasUnreadableInstructions = (dataFolder: string): boolean =>
  isUnreadable(instructionFileOf(dataFolder), BundleInstruction) ||
  isUnreadable(laterFileOf(dataFolder), BundleInstructions)

const isUnreadable = (file: string, schema: z.ZodType): boolean => existsSync(file) && parsed(file, schema) === null

/** Replaces all waiting instructions. The caller must hold the folder's lock. */
export function writeInstructions(dataFolder: string, instructions: readonly BundleInstruction[]): void {
  writeOrRemove(laterFileOf(dataFolder), instructions.filter(isLater))
  writeOrRemove(instructionFileOf(dataFolder), instructions.findLast((instruction) => !isLater(instruction)) ?? null)
}

export const isBundleDue = (dataFolder: string, now: Date): boolean => dueInstructions(dataFolder, now) !== null

export const isInstructionDue = (instruction: BundleInstruction, now: Date): boolean =>
  instruction.kind === 'undo' || instruction.from === null || new Date(instruction.from) <= now

const isLater = (instruction: BundleInstruction): boolean => instruction.kind === 'put' && instruction.from !== null

function parsed<T>(file: string, schema: z.ZodType<T>): T | null {
  try {
    return schema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return null
  }
}

function writeOrRemove(file: string, content: BundleInstruction | readonly BundleInstruction[] | null): void {
  if (content === null || (Array.isArray(content) && content.length === 0)) rmSync(file, { force: true })
  else writeWhole(file, `${JSON.stringify(content)}\n`)
}

/**
 * Changes that a start made to the lane's bundles without an instruction. The launcher prints them, and the terminal
 * writes them into the audit trail. `dropped`: an instruction was not executed, and why.
 */
export const BundleNotice = z.discriminatedUnion('kind', [
  Notice.extend({ kind: z.literal('refused') }),
  Notice.extend({ kind: z.literal('damaged') }),
  Notice.extend({ kind: z.literal('recovered') }),
  z.object({
    kind: z.literal('dropped'),
    id: z.string().nullable(),
    number: z.int().nullable(),
    at: z.iso.datetime(),
    why: z.enum(['unreadable', 'gone', 'older', 'key-revoked', 'keys-missing']),
  }),
])
export type BundleNotice = z.infer<typeof BundleNotice>

const MAX_NOTICES = 50
const noticesFileOf = (dataFolder: string): string => path.join(bundlesOf(dataFolder), 'news.json')

export function readNotices(dataFolder: string): BundleNotice[] {
  const file = noticesFileOf(dataFolder)
  if (!existsSync(file)) return []
  try {
    return z.array(BundleNotice).parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return []
  }
}

export const addNotice = (dataFolder: string, notice: BundleNotice): void => {
  writeWhole(noticesFileOf(dataFolder), `${JSON.stringify([...readNotices(dataFolder), notice].slice(-MAX_NOTICES))}\n`)
}

export const clearNotices = (dataFolder: string): void => {
  rmSync(noticesFileOf(dataFolder), { force: true })
}
