import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  type Refusal,
  type RefusalTexts,
  type Sentence,
  type StartingKey,
  formatRefusal,
} from '../../contracts/core/refusal.ts'
import {
  type BundleNotice,
  type ActiveBundle,
  bundlesOf,
  readClockAhead,
  trustFileOf,
} from '../delivery/stored-bundles.ts'
import { type LaneIdentity, isOfThisLane, ownerOf } from '../delivery/identity.ts'
import type { ProxySetting } from '../delivery/outgoing.ts'
import { type BundleStore, openBundleStore } from '../delivery/bundle-store.ts'
import type { Notify } from '../delivery/start.ts'
import { firstTrust } from '../delivery/trust.ts'
import { type ProfileOutline, proxyOfProfile } from './profile-outline.ts'
import { TerminalRefused, refusalLine } from './terminal-refused.ts'
import type { ServiceFailure } from './supervise.ts'

/**
 * Opens the bundle store of a lane; null if the lane has no trusted keys and so accepts no bundles. Throws
 * TerminalRefused for an invalid list of keys.
 */
export function bundleStoreOf(dataFolder: string, trustFile: string): BundleStore | null {
  if (!existsSync(trustFile)) return null
  const trust = firstTrust(readFileSync(trustFile))
  if (trust === null) throw new TerminalRefused([['notTrustList', { file: trustFile }]], 2)
  return openBundleStore(dataFolder, trust)
}

export function proxyOfLane({ dataFolder, trustFile, profile }: ProxyOfLane): ProxySetting {
  const active = bundleStoreOf(dataFolder, trustFile ?? trustFileOf(dataFolder))?.active() ?? 'none'
  const text = typeof active === 'string' ? (profile ?? '') : readFileSync(active.profileFile, 'utf8')
  return proxyOfProfile(text)
}

interface ProxyOfLane {
  readonly dataFolder: string
  readonly trustFile?: string | undefined
  readonly profile?: string | undefined
}

export interface LaneProfileOptions {
  readonly dataFolder: string
  readonly lane: string
  readonly outline: ProfileOutline
  readonly profileFile: string | null
  readonly trustFile?: string
  readonly profile?: string
  readonly bundleFile?: string
  readonly now: () => Date
  readonly log: (line: string) => void
  readonly messages?: RefusalTexts
}

export interface LaneProfile {
  /**
   * Returns the path of the active profile. Must be called at each start of the backend with the data folder locked.
   * Throws TerminalRefused if there is no usable profile at the first start, for example because the bundle on the disk
   * does not match its signature.
   */
  file(): string
  onUp(): void
  /**
   * Records that the backend did not start. Returns true if the previous bundle should be tried immediately; `file`
   * then returns its profile.
   */
  otherAfter(failure: ServiceFailure): boolean
}

/** Exit codes that another profile does not fix: errors of the folder, and a requested restart. */
const OTHER_CAUSES: ReadonlySet<number | null> = new Set([3, 4, 10])
const WRONG_PROFILE = 2
const MAX_LINES = 10
const MAX_CHARACTERS = 300

export function laneProfile(options: LaneProfileOptions): LaneProfile {
  const { dataFolder, profileFile, log, bundleFile } = options
  refuseOtherOwner(options)
  const bundleStore = bundleStoreOf(dataFolder, options.trustFile ?? trustFileOf(dataFolder))
  const unbundled = (): string => profileFile ?? noProfile(dataFolder)
  if (bundleStore === null) return { file: unbundled, onUp: () => undefined, otherAfter: () => false }
  const packageRefusal =
    bundleFile !== undefined && existsSync(bundleFile) ? putPackaged(bundleStore, options, bundleFile) : null
  const notify: Notify = (notice) => {
    log(noticeLine(notice, options.messages))
  }
  let active: ActiveBundle | null = null
  let last: string | null = null
  let refused: { readonly id: string; readonly messages: readonly string[] } | null = null

  return {
    file() {
      try {
        if (refused === null) active = activeBundleOf(bundleStore, options, notify)
        if (refused === null && active === null && packageRefusal !== null) throw packageRefusal
        const at = active?.profileFile ?? unbundled()
        if (at !== last && at !== profileFile) log(formatRefusal([activeSentence(active, at)], options.messages))
        last = at
      } catch (error) {
        // A backend that is restarted continues with its last profile, so that a failing disk does not close a store.
        if (last === null) throw error
        log(refusalLine(error, options.messages))
      }
      return last ?? unbundled()
    },
    onUp() {
      if (refused !== null) bundleStore.restorePrevious(refused.id, refused.messages, options.now(), notify)
      else if (active !== null) bundleStore.markStarted(active.id, notify)
      refused = null
    },
    otherAfter({ exit, lastLines }) {
      const isSecond = refused !== null
      refused = null
      // If the backend does not start with the previous bundle either, the bundle is not the cause.
      if (isSecond || active === null || exit === null || OTHER_CAUSES.has(exit.code)) return false
      // A backend has run with this bundle before, so the failure may be temporary: keep the bundle.
      if (exit.code !== WRONG_PROFILE && bundleStore.hasStarted()) return false
      const before = bundleStore.before()
      if (before === null) return false
      refused = { id: active.id, messages: messagesIn(lastLines, path.dirname(active.profileFile)) }
      active = before === 'none' ? null : before
      return true
    },
  }
}

const activeSentence = (active: ActiveBundle | null, file: string): Sentence =>
  active === null ? ['sellsByFile', { file }] : ['sellsByBundle', { number: active.manifest.sequence }]

function noProfile(dataFolder: string): never {
  throw new TerminalRefused([['noBundle', { folder: bundlesOf(dataFolder) }], ['packageAgain']], 2)
}

const messagesIn = (lines: readonly string[], folder: string): string[] =>
  lines
    .filter((line) => line.trim() !== '' && !line.startsWith('{'))
    .slice(0, MAX_LINES)
    .map((line) => line.replaceAll(folder + path.sep, '').slice(0, MAX_CHARACTERS))

/**
 * Stores the package’s bundle on the lane if it is newer. Returns a refusal that applies only to a lane without another
 * bundle: a lane with an active bundle uses that one, even if the package’s was signed with a revoked key.
 */
function putPackaged(
  bundleStore: BundleStore,
  options: LaneProfileOptions,
  bundleFile: string,
): TerminalRefused | null {
  // A bundle that was refused before is not stored again, because each start of the same package would try and refuse
  // it.
  const put = bundleStore.put(bundleFile, identityOf(options), options.now(), { again: false })
  if (put.kind !== 'refused' || put.why === 'older' || put.why === 'refused-before') return null
  return new TerminalRefused([['bundleNotTaken', { why: put.why }], ['bundleNotTakenDo']], 2)
}

function activeBundleOf(bundleStore: BundleStore, options: LaneProfileOptions, notify: Notify): ActiveBundle | null {
  const { dataFolder, now } = options
  const identity = identityOf(options)
  // The time is corrected, because a clock that is ahead would activate prices early.
  const active = bundleStore.atStart(new Date(now().getTime() - readClockAhead(dataFolder)), { identity, notify })
  if (active === 'none') return null
  if (active === 'damaged') throw new TerminalRefused([['bundleDamaged', { folder: bundlesOf(dataFolder) }]], 2)
  const { manifest } = active
  if (isOfThisLane(manifest, identity)) return active
  const { store, lane, mode } = identity
  const lanes = manifest.lanes.join(', ')
  const of = { folder: bundlesOf(dataFolder), store: manifest.store.id, lanes, mode: { textKey: manifest.mode } }
  throw new TerminalRefused(
    [['bundleOfOther', of], ['thisLane', { lane, store, mode: { textKey: mode } }], ['putOwnBundle']],
    2,
  )
}

/**
 * Throws TerminalRefused if the data folder belongs to another lane, before anything is written: a bundle of this store
 * would replace the other store’s, or a PIN would be set on the wrong lane. An unreadable identity file is left to the
 * program that opens the folder.
 */
export function refuseOtherOwner(options: Pick<LaneProfileOptions, 'dataFolder' | 'outline' | 'lane'>): void {
  const { dataFolder } = options
  const identity = identityOf(options)
  const owner = readableOwner(dataFolder)
  if (owner === null || isDeepStrictEqual(owner, identity)) return
  // A data folder with training data on a lane that now opens for real: the message gives the CLI command that renames
  // it.
  const isPractice = owner.mode === 'training' && identity.mode === 'production'
  const remedy: Refusal = isPractice
    ? [['practisedHere'], `mv '${dataFolder}' '${dataFolder}.training'`]
    : [['mustNotLeave'], ['otherFolder']]
  const named = ({ mode, ...lane }: LaneIdentity) => ({ ...lane, mode: { textKey: mode } })
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
} as const satisfies Readonly<Record<Extract<BundleNotice, { kind: 'dropped' }>['why'], StartingKey>>

/**
 * Formats a message about a start’s changes to the lane’s bundles, in the language of `messages` (default: English).
 */
export function noticeLine(notice: Parameters<Notify>[0], messages?: RefusalTexts): string {
  const translate = (...sentences: Refusal): string => formatRefusal(sentences, messages)
  if (notice.kind === 'left') return translate(['bundleLeft', { reason: notice.error.message }])
  const bundle =
    notice.number === null ? translate(['aBundle']) : translate(['numberedBundle', { number: notice.number }])
  switch (notice.kind) {
    case 'dropped':
      return translate(['bundleDropped', { bundle }], [DROPPED[notice.why]])
    case 'refused':
      return [
        translate(['bundleRefused', { bundle }], ['bundleRefusedBefore']),
        ...notice.words,
        translate(['bundleRefusedDo']),
      ].join('\n')
    case 'damaged':
      return translate(['bundleBroken', { bundle }], ['bundleBrokenDo'])
    case 'recovered':
      return translate(
        ['bundleRecovered'],
        ['bundleRecoveredNumber', { number: String(notice.number) }],
        ['bundleRecoveredDo'],
      )
  }
}
