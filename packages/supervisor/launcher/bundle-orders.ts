import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { trustFileOf } from '../../delivery/standing.ts'
import type { LaneIdentity } from '../../delivery/identity.ts'
import { BusyError } from '../../delivery/lock.ts'
import type { BundleManifest } from '../../delivery/manifest.ts'
import { type PutOptions, type Shelf, openShelf } from '../../delivery/shelf.ts'
import { ownTrust } from '../../delivery/trust.ts'
import { writeWhole } from '../../delivery/whole-file.ts'
import { shelfOf } from '../lane-profile.ts'
import { TerminalRefused } from '../refused.ts'
import type { Say, SayOfBundles } from './words.ts'
import { forgetScrapeToken, isScraped, makeScrapeToken } from '../../delivery/metrics-registry.ts'

/** Whose keys a lane believes that was given its list with its first bundle. */
export interface GivenKeys {
  readonly dataFolder: string
  /** Lists that are given now, the first first; none: the lane goes by those that it has. */
  readonly lists: readonly Buffer[]
}

/** A file, or all lists of a folder in the order of their numbers. Throws TerminalRefused where there is none. */
export function listsIn(place: string, say: SayOfBundles): Buffer[] {
  const found = statSync(place, { throwIfNoEntry: false })
  if (found?.isFile()) return [readFileSync(place)]
  const names = found?.isDirectory() ? readdirSync(place).filter((name) => /^\d{6}\.keys$/.test(name)) : []
  if (names.length === 0) throw new TerminalRefused(say('refused.unreadable'), 2)
  return names.toSorted().map((name) => readFileSync(path.join(place, name)))
}

/** By the keys that the lane believes; one that believes none yet goes by the first list that is given. */
export function shelfByGivenKeys({ dataFolder, lists }: GivenKeys, say: SayOfBundles): Shelf {
  const own = trustFileOf(dataFolder)
  const [first] = lists
  if (first !== undefined && !believes(own)) {
    const trust = ownTrust(first)
    if (trust === null) throw new TerminalRefused(say('noList'), 2)
    return openShelf(dataFolder, trust)
  }
  const shelf = shelfOf(dataFolder, own)
  if (shelf === null) throw new TerminalRefused(say('noKeys'), 2)
  return shelf
}

/** What a lane that believes keys already learns of the lists: newer ones. Throws TerminalRefused for another's. */
export function learnGivenKeys(shelf: Shelf, { dataFolder, lists }: GivenKeys, say: SayOfBundles): void {
  const own = trustFileOf(dataFolder)
  const [first] = lists
  if (first === undefined || !believes(own)) return
  if (shelf.learn(lists)) console.log(say('keysTaken'))
  else if (!first.equals(readFileSync(own))) throw new TerminalRefused(say('otherKeys'), 2)
}

/** Only after its first bundle: a list that believes no bundle of this lane would stay in the way of the right one. */
export function keepGivenKeys({ dataFolder, lists: [first] }: GivenKeys): void {
  const own = trustFileOf(dataFolder)
  if (first !== undefined && !believes(own)) writeWhole(own, first)
}

export const believes = (own: string): boolean => existsSync(own) && ownTrust(readFileSync(own)) !== null

/** Each says what became of it, and answers the exit code. */
export interface BundleOrder {
  readonly action: string | undefined
  readonly file: string | undefined
  /** Null: the first bundle says whose lane it is. */
  readonly identity: () => LaneIdentity | null
  readonly put?: PutOptions
  /** A bundle was taken. */
  readonly onTaken?: () => void
}

/** `put FILE`, `cancel NUMBER`, `undo` or `list`; null: another action. Throws TerminalRefused where it is busy. */
export function orderOnShelf(shelf: Shelf, order: BundleOrder, say: SayOfBundles): number | null {
  try {
    switch (order.action) {
      case 'put':
        return order.file === undefined ? null : put(shelf, order, path.resolve(order.file), say)
      case 'cancel':
        return order.file !== undefined && /^\d+$/.test(order.file) ? cancel(shelf, Number(order.file), say) : null
      case 'undo':
        return undo(shelf, say)
      case 'list':
        return list(shelf, say)
      default:
        return null
    }
  } catch (error) {
    if (error instanceof BusyError) throw new TerminalRefused(say('busy'), 2)
    throw error
  }
}

function put(shelf: Shelf, order: BundleOrder, file: string, say: SayOfBundles): number {
  const done = shelf.put(file, order.identity(), new Date(), order.put)
  if (done.kind === 'put' || done.kind === 'there-already') order.onTaken?.()
  switch (done.kind) {
    case 'refused':
      console.error(say(`refused.${done.why}`))
      return 1
    case 'mistakes':
      console.error([say('mistakes'), ...done.mistakes].join('\n'))
      return 1
    case 'there-already':
      console.log(say('thereAlready'))
      return 0
    case 'put':
      console.log(
        done.from === null
          ? say('put', factsOf(done.manifest))
          : say('putFrom', { ...factsOf(done.manifest), from: done.from.toISOString() }),
      )
      for (const manifest of done.overtaken) console.log(say('overtaken', factsOf(manifest)))
      return 0
  }
}

function cancel(shelf: Shelf, number: number, say: SayOfBundles): number {
  const manifest = shelf.cancel(number)
  console.log(manifest === null ? say('notWaiting', { number: String(number) }) : say('cancelled', factsOf(manifest)))
  return manifest === null ? 1 : 0
}

function undo(shelf: Shelf, say: SayOfBundles): number {
  const done = shelf.undo(new Date())
  switch (done.kind) {
    case 'undone':
      console.log(say('undone', factsOf(done.manifest)))
      return 0
    case 'nothing-before':
      console.log(say('nothingBefore'))
      return 1
    case 'key-revoked':
      console.error(say('undoRevoked', factsOf(done.manifest)))
      return 1
    case 'waiting':
      console.error(say('undoWaits', factsOf(done.manifest)))
      return 1
  }
}

function list(shelf: Shelf, say: SayOfBundles): number {
  const { current, previous, waiting, undoTo, notice } = shelf.list()
  const shown = [
    { what: 'current', manifest: current },
    { what: 'previous', manifest: previous },
    { what: 'undoTo', manifest: undoTo },
    ...waiting.map((manifest) => ({ what: 'waiting', manifest }) as const),
  ] as const
  if (shown.every(({ manifest }) => manifest === null)) console.log(say('none'))
  for (const { what, manifest } of shown) {
    if (manifest === null) continue
    const facts = { ...factsOf(manifest), what: say(what) }
    console.log(
      manifest.activeFrom === null ? say('line', facts) : say('lineFrom', { ...facts, from: manifest.activeFrom }),
    )
  }
  if (notice === null) return 0
  console.log(
    [say(`notice.${notice.kind}`, { number: String(notice.number), at: notice.at }), ...notice.words].join('\n'),
  )
  return 0
}

const factsOf = ({ sequence, store, madeAt }: BundleManifest) => ({
  number: String(sequence),
  store: store.id,
  name: store.name,
  made: madeAt,
})

/**
 * Lets somebody scrape the lane, or nobody; a running terminal goes by it at once. The token is told once, alone on
 * standard output. Answers an exit code, null for another word. Throws TerminalRefused in words.
 */
export function orderMetrics(dataFolder: string, action: string | undefined, say: Say): number | null {
  if (!existsSync(dataFolder)) throw new TerminalRefused(say('metrics.noFolder', { folder: dataFolder }), 2)
  switch (action) {
    case 'on': {
      const replaced = isScraped(dataFolder)
      console.log(makeScrapeToken(dataFolder))
      console.error(say(replaced ? 'metrics.replaced' : 'metrics.on'))
      return 0
    }
    case 'off':
      forgetScrapeToken(dataFolder)
      console.log(say('metrics.off'))
      return 0
    case 'status':
      console.log(say(isScraped(dataFolder) ? 'metrics.isOn' : 'metrics.isOff'))
      return 0
    default:
      return null
  }
}
