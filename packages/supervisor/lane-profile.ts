import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  type Refusal,
  type RefusalWords,
  type Sentence,
  type StartingKey,
  sayRefusal,
} from '../../contracts/core/refusal.ts'
import { type News, type Sold, bundlesOf, readAhead, trustFileOf } from '../delivery/standing.ts'
import { type LaneIdentity, isOfThisLane, ownerOf } from '../delivery/identity.ts'
import type { ProxySetting } from '../delivery/outgoing.ts'
import { type Shelf, openShelf } from '../delivery/shelf.ts'
import type { Tell } from '../delivery/start.ts'
import { ownTrust } from '../delivery/trust.ts'
import { type ProfileOutline, proxyOfProfile } from './profile-outline.ts'
import { TerminalRefused, refusalLine } from './refused.ts'
import type { ServiceFailure } from './supervise.ts'

/** Null where the lane believes no keys, and takes no bundles. Throws TerminalRefused where the list is none. */
export function shelfOf(dataFolder: string, trustFile: string): Shelf | null {
  if (!existsSync(trustFile)) return null
  const trust = ownTrust(readFileSync(trustFile))
  if (trust === null) throw new TerminalRefused([['notTrustList', { file: trustFile }]], 2)
  return openShelf(dataFolder, trust)
}

/** What the lane's calls go through, by the profile in force, or by the one that its package brings along. */
export function proxyOfLane({ dataFolder, trustFile, profile }: ProxyOfLane): ProxySetting {
  const sold = shelfOf(dataFolder, trustFile ?? trustFileOf(dataFolder))?.inForce() ?? 'none'
  const text = typeof sold === 'string' ? (profile ?? '') : readFileSync(sold.profileFile, 'utf8')
  return proxyOfProfile(text)
}

interface ProxyOfLane {
  readonly dataFolder: string
  readonly trustFile?: string | undefined
  /** The text of the package's profile. */
  readonly profile?: string | undefined
}

export interface LaneProfileOptions {
  readonly dataFolder: string
  readonly lane: string
  /** What the package or the command line gives; a bundle on the lane takes its place. */
  readonly outline: ProfileOutline
  /** Null in a package that brings its store as a bundle alone. */
  readonly profileFile: string | null
  /** Left out: the one that was put on the lane. */
  readonly trustFile?: string
  /** The text of the profile in that bundle. */
  readonly profile?: string
  /** The bundle that the package brings along: it is put on the lane where it is newer than what was there. */
  readonly bundleFile?: string
  readonly now: () => Date
  readonly log: (line: string) => void
  /** How that is said; left out: in English. */
  readonly words?: RefusalWords
}

/** The profile that the lane sells by, from each start of the backend on. */
export interface LaneProfile {
  /**
   * To be asked at each start of the backend, with the data folder locked. Throws TerminalRefused where the bundle on
   * the disk is not what was signed.
   */
  file(): string
  /** The backend has come up by that. */
  onUp(): void
  /** It has not. True: what was sold by before is worth a start at once, and `file` answers that then. */
  otherAfter(failure: ServiceFailure): boolean
}

/** The backend ended because of something that no other profile mends: the folder's, or it was asked to start again. */
const NOT_THE_PROFILES: ReadonlySet<number | null> = new Set([3, 4, 10])
const WRONG_PROFILE = 2
/** Of what a backend said of a profile: enough to find the mistake. */
const MOST_WORDS = 10
const MOST_CHARACTERS = 300

export function laneProfile(options: LaneProfileOptions): LaneProfile {
  const { dataFolder, profileFile, log, bundleFile } = options
  refuseOtherOwner(options)
  const shelf = shelfOf(dataFolder, options.trustFile ?? trustFileOf(dataFolder))
  const unbundled = (): string => profileFile ?? noProfile(dataFolder)
  if (shelf === null) return { file: unbundled, onUp: () => undefined, otherAfter: () => false }
  const packageRefusal =
    bundleFile !== undefined && existsSync(bundleFile) ? putPackaged(shelf, options, bundleFile) : null
  const tell: Tell = (news) => {
    log(newsLine(news, options.words))
  }
  let sold: Sold | null = null
  let last: string | null = null
  /** The bundle that no backend started by, while what was sold by before is tried. */
  let refused: { readonly id: string; readonly words: readonly string[] } | null = null

  return {
    file() {
      try {
        if (refused === null) sold = soldBy(shelf, options, tell)
        if (refused === null && sold === null && packageRefusal !== null) throw packageRefusal
        const at = sold?.profileFile ?? unbundled()
        if (at !== last && at !== profileFile) log(sayRefusal([sellsBy(sold, at)], options.words))
        last = at
      } catch (error) {
        // A backend that is started again goes on with what it sold by: a store stays open over a disk that fails.
        if (last === null) throw error
        log(refusalLine(error, options.words))
      }
      return last ?? unbundled()
    },
    onUp() {
      if (refused !== null) shelf.stepBack(refused.id, refused.words, options.now(), tell)
      else if (sold !== null) shelf.prove(sold.id, tell)
      refused = null
    },
    otherAfter({ exit, lastLines }) {
      const isSecond = refused !== null
      refused = null
      // Where what was sold by before does not start either, it is not the bundle.
      if (isSecond || sold === null || exit === null || NOT_THE_PROFILES.has(exit.code)) return false
      // One that was sold by already may fail for a reason that passes.
      if (exit.code !== WRONG_PROFILE && shelf.isProven()) return false
      const before = shelf.before()
      if (before === null) return false
      refused = { id: sold.id, words: wordsOf(lastLines, path.dirname(sold.profileFile)) }
      sold = before === 'none' ? null : before
      return true
    },
  }
}

const sellsBy = (sold: Sold | null, file: string): Sentence =>
  sold === null ? ['sellsByFile', { file }] : ['sellsByBundle', { number: sold.manifest.sequence }]

function noProfile(dataFolder: string): never {
  throw new TerminalRefused([['noBundle', { folder: bundlesOf(dataFolder) }], ['packageAgain']], 2)
}

/** What the backend said to people, without the folder that nobody knows by name. */
const wordsOf = (lines: readonly string[], folder: string): string[] =>
  lines
    .filter((line) => line.trim() !== '' && !line.startsWith('{'))
    .slice(0, MOST_WORDS)
    .map((line) => line.replaceAll(folder + path.sep, '').slice(0, MOST_CHARACTERS))

/**
 * Puts the package's bundle on the lane where it is newer. Returns the refusal of a start that has no other: a lane
 * with a bundle in force sells by that, whatever has become of the one in its package, whose key may be revoked.
 */
function putPackaged(shelf: Shelf, options: LaneProfileOptions, bundleFile: string): TerminalRefused | null {
  // The same package would be tried and left again at each of its starts.
  const put = shelf.put(bundleFile, identityOf(options), options.now(), { again: false })
  if (put.kind !== 'refused' || put.why === 'older' || put.why === 'refused-before') return null
  return new TerminalRefused([['bundleNotTaken', { why: put.why }], ['bundleNotTakenDo']], 2)
}

/** Null: no bundle is in force. */
function soldBy(shelf: Shelf, options: LaneProfileOptions, tell: Tell): Sold | null {
  const { dataFolder, now } = options
  const identity = identityOf(options)
  // A clock that was ahead would put prices in force before their time.
  const sold = shelf.atStart(new Date(now().getTime() - readAhead(dataFolder)), { identity, tell })
  if (sold === 'none') return null
  if (sold === 'damaged') throw new TerminalRefused([['bundleDamaged', { folder: bundlesOf(dataFolder) }]], 2)
  const { manifest } = sold
  if (isOfThisLane(manifest, identity)) return sold
  const { store, lane, mode } = identity
  const lanes = manifest.lanes.join(', ')
  const of = { folder: bundlesOf(dataFolder), store: manifest.store.id, lanes, mode: { say: manifest.mode } }
  throw new TerminalRefused(
    [['bundleOfOther', of], ['thisLane', { lane, store, mode: { say: mode } }], ['putOwnBundle']],
    2,
  )
}

/**
 * Before anything is put into a data folder: a store’s own bundle would leave for a stranger’s, and a PIN would be set
 * where nobody asks for it. Throws TerminalRefused. A mark that cannot be read is left to whoever opens the folder.
 */
export function refuseOtherOwner(options: Pick<LaneProfileOptions, 'dataFolder' | 'outline' | 'lane'>): void {
  const { dataFolder } = options
  const identity = identityOf(options)
  const owner = readableOwner(dataFolder)
  if (owner === null || isDeepStrictEqual(owner, identity)) return
  // Whoever practises and then opens the store has made this folder, and needs no more of it.
  const isPractice = owner.mode === 'training' && identity.mode === 'production'
  const remedy: Refusal = isPractice
    ? [['practisedHere'], `mv '${dataFolder}' '${dataFolder}.training'`]
    : [['mustNotLeave'], ['otherFolder']]
  const named = ({ mode, ...lane }: LaneIdentity) => ({ ...lane, mode: { say: mode } })
  throw new TerminalRefused(
    [['folderOfOther', { folder: dataFolder, ...named(owner) }], ['thisLane', named(identity)], ...remedy],
    2,
  )
}

function readableOwner(dataFolder: string): LaneIdentity | null {
  try {
    return ownerOf(dataFolder)
  } catch {
    return null
  }
}

export const identityOf = ({ outline, lane }: Pick<LaneProfileOptions, 'outline' | 'lane'>): LaneIdentity => ({
  store: outline.storeId,
  lane,
  mode: outline.mode,
})

const DROPPED = {
  unreadable: 'droppedUnreadable',
  gone: 'droppedGone',
  older: 'droppedOlder',
  'key-revoked': 'droppedKeyRevoked',
  'keys-missing': 'droppedKeysMissing',
} as const satisfies Readonly<Record<Extract<News, { kind: 'dropped' }>['why'], StartingKey>>

/** What a start did with the bundles of its lane, for whoever starts the terminal; without words in English. */
export function newsLine(news: Parameters<Tell>[0], words?: RefusalWords): string {
  const say = (...sentences: Refusal): string => sayRefusal(sentences, words)
  if (news.kind === 'left') return say(['bundleLeft', { reason: news.error.message }])
  const bundle = news.number === null ? say(['aBundle']) : say(['numberedBundle', { number: news.number }])
  switch (news.kind) {
    case 'dropped':
      return say(['bundleDropped', { bundle }], [DROPPED[news.why]])
    case 'refused':
      return [
        say(['bundleRefused', { bundle }], ['bundleRefusedBefore']),
        ...news.words,
        say(['bundleRefusedDo']),
      ].join('\n')
    case 'damaged':
      return say(['bundleBroken', { bundle }], ['bundleBrokenDo'])
    case 'recovered':
      return say(['bundleRecovered'], ['bundleRecoveredNumber', { number: String(news.number) }], ['bundleRecoveredDo'])
  }
}
