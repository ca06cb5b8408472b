import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { BundleManifest } from '../delivery/manifest.ts'
import type { LaneIdentity, Shelf } from '../delivery/shelf.ts'
import { ownTrust } from '../delivery/trust.ts'
import { writeWhole } from '../delivery/whole-file.ts'
import { shelfOf, trustFileOf } from '../electron/lane-profile.ts'
import { TerminalRefused } from '../electron/refused.ts'
import type { SayOfBundles } from './words.ts'

/** Whose keys a lane believes that was given its list with its first bundle. */
export interface GivenKeys {
  readonly dataFolder: string
  /** A list that is given now; null: the one that the lane has. */
  readonly list: string | null
}

/** By the keys that the lane believes; one that believes none yet goes by the list that is given. */
export function shelfByGivenKeys({ dataFolder, list }: GivenKeys, say: SayOfBundles): Shelf {
  const own = trustFileOf(dataFolder)
  if (list !== null && !(existsSync(list) && statSync(list).isFile()))
    throw new TerminalRefused(say('refused.unreadable'), 2)
  if (list !== null && believes(own) && !readFileSync(list).equals(readFileSync(own)))
    throw new TerminalRefused(say('otherKeys'), 2)
  const shelf = shelfOf(dataFolder, list ?? own)
  if (shelf === null) throw new TerminalRefused(say('noKeys'), 2)
  return shelf
}

/** Only after its first bundle: a list that believes no bundle of this lane would stay in the way of the right one. */
export function keepGivenKeys({ dataFolder, list }: GivenKeys): void {
  const own = trustFileOf(dataFolder)
  if (list !== null && !believes(own)) writeWhole(own, readFileSync(list))
}

const believes = (own: string): boolean => existsSync(own) && ownTrust(readFileSync(own)) !== null

/** Each says what became of it, and answers the exit code. */
export interface BundleOrder {
  readonly action: string | undefined
  readonly file: string | undefined
  /** Null: the first bundle says whose lane it is. */
  readonly identity: () => LaneIdentity | null
  /** A bundle was taken. */
  readonly onTaken?: () => void
}

/** `put FILE`, `undo` or `list`; null where it is none of them. */
export function orderOnShelf(shelf: Shelf, order: BundleOrder, say: SayOfBundles): number | null {
  switch (order.action) {
    case 'put':
      return order.file === undefined ? null : put(shelf, order, path.resolve(order.file), say)
    case 'undo': {
      const manifest = shelf.undo()
      console.log(manifest ? say('undone', factsOf(manifest)) : say('nothingBefore'))
      return manifest ? 0 : 1
    }
    case 'list':
      return list(shelf, say)
    default:
      return null
  }
}

function put(shelf: Shelf, { identity, onTaken }: BundleOrder, file: string, say: SayOfBundles): number {
  const done = shelf.put(file, identity(), new Date())
  if (done.kind !== 'refused') onTaken?.()
  switch (done.kind) {
    case 'refused':
      console.error(say(`refused.${done.why}`))
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
      return 0
  }
}

function list(shelf: Shelf, say: SayOfBundles): number {
  const shown = shelf.list()
  if (Object.values(shown).every((manifest) => manifest === null)) console.log(say('none'))
  for (const what of ['current', 'previous', 'waiting'] as const) {
    const manifest = shown[what]
    if (manifest === null) continue
    const facts = { ...factsOf(manifest), what: say(what) }
    console.log(
      manifest.activeFrom === null ? say('line', facts) : say('lineFrom', { ...facts, from: manifest.activeFrom }),
    )
  }
  return 0
}

const factsOf = ({ sequence, store, madeAt }: BundleManifest) => ({
  number: String(sequence),
  store: store.id,
  name: store.name,
  made: madeAt,
})
