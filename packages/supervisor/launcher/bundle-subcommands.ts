import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { trustFileOf } from '../../delivery/stored-bundles.ts'
import type { LaneIdentity } from '../../delivery/identity.ts'
import { BusyError } from '../../delivery/lock.ts'
import type { BundleManifest } from '../../delivery/manifest.ts'
import { type PutOptions, type BundleStore, openBundleStore } from '../../delivery/bundle-store.ts'
import { firstTrust } from '../../delivery/trust.ts'
import { writeWhole } from '../../delivery/whole-file.ts'
import { bundleStoreOf } from '../lane-profile.ts'
import { TerminalRefused } from '../terminal-refused.ts'
import type { Translate, TranslateBundles } from './translators.ts'
import { forgetScrapeToken, isScraped, makeScrapeToken } from '../../delivery/metrics-registry.ts'

export interface GivenKeys {
  readonly dataFolder: string
  readonly lists: readonly Buffer[]
}

/**
 * Reads a list of trusted keys from a file, or all lists of a folder by number. Throws TerminalRefused if there is no
 * list.
 */
export function listsIn(place: string, translate: TranslateBundles): Buffer[] {
  const found = statSync(place, { throwIfNoEntry: false })
  if (found?.isFile()) return [readFileSync(place)]
  const names = found?.isDirectory() ? readdirSync(place).filter((name) => /^\d{6}\.keys$/.test(name)) : []
  if (names.length === 0) throw new TerminalRefused(translate('refused.unreadable'), 2)
  return names.toSorted().map((name) => readFileSync(path.join(place, name)))
}

/** Opens the bundle store with the lane’s stored list of trusted keys. A lane without one uses the first given list. */
export function bundleStoreWithKeys({ dataFolder, lists }: GivenKeys, translate: TranslateBundles): BundleStore {
  const own = trustFileOf(dataFolder)
  const [first] = lists
  if (first !== undefined && !hasTrustList(own)) {
    const trust = firstTrust(first)
    if (trust === null) throw new TerminalRefused(translate('noList'), 2)
    return openBundleStore(dataFolder, trust)
  }
  const bundleStore = bundleStoreOf(dataFolder, own)
  if (bundleStore === null) throw new TerminalRefused(translate('noKeys'), 2)
  return bundleStore
}

/**
 * Stores newer lists of trusted keys on a lane that already has one. Throws TerminalRefused for another installer’s
 * list.
 */
export function addGivenKeys(
  bundleStore: BundleStore,
  { dataFolder, lists }: GivenKeys,
  translate: TranslateBundles,
): void {
  const own = trustFileOf(dataFolder)
  const [first] = lists
  if (first === undefined || !hasTrustList(own)) return
  if (bundleStore.addTrustLists(lists)) console.log(translate('keysTaken'))
  else if (!first.equals(readFileSync(own))) throw new TerminalRefused(translate('otherKeys'), 2)
}

/**
 * Stores the first given list of trusted keys on a lane without one. Must be called only after the first bundle was
 * accepted: a wrong list would block the correct one.
 */
export function saveGivenKeys({ dataFolder, lists: [first] }: GivenKeys): void {
  const own = trustFileOf(dataFolder)
  if (first !== undefined && !hasTrustList(own)) writeWhole(own, first)
}

export const hasTrustList = (own: string): boolean => existsSync(own) && firstTrust(readFileSync(own)) !== null

export interface BundleSubcommand {
  readonly action: string | undefined
  readonly file: string | undefined
  readonly identity: () => LaneIdentity | null
  readonly put?: PutOptions
  readonly onAccepted?: () => void
}

/**
 * Runs `put FILE`, `cancel NUMBER`, `undo` or `list`; returns null for another action. Throws TerminalRefused if the
 * bundle store is busy.
 */
export function runBundleSubcommand(
  bundleStore: BundleStore,
  subcommand: BundleSubcommand,
  translate: TranslateBundles,
): number | null {
  try {
    switch (subcommand.action) {
      case 'put':
        return subcommand.file === undefined
          ? null
          : put(bundleStore, subcommand, path.resolve(subcommand.file), translate)
      case 'cancel':
        return subcommand.file !== undefined && /^\d+$/.test(subcommand.file)
          ? cancel(bundleStore, Number(subcommand.file), translate)
          : null
      case 'undo':
        return undo(bundleStore, translate)
      case 'list':
        return list(bundleStore, translate)
      default:
        return null
    }
  } catch (error) {
    if (error instanceof BusyError) throw new TerminalRefused(translate('busy'), 2)
    throw error
  }
}

function put(
  bundleStore: BundleStore,
  subcommand: BundleSubcommand,
  file: string,
  translate: TranslateBundles,
): number {
  const done = bundleStore.put(file, subcommand.identity(), new Date(), subcommand.put)
  if (done.kind === 'put' || done.kind === 'there-already') subcommand.onAccepted?.()
  switch (done.kind) {
    case 'refused':
      console.error(translate(`refused.${done.why}`))
      return 1
    case 'mistakes':
      console.error([translate('mistakes'), ...done.mistakes].join('\n'))
      return 1
    case 'there-already':
      console.log(translate('thereAlready'))
      return 0
    case 'put':
      console.log(
        done.from === null
          ? translate('put', factsOf(done.manifest))
          : translate('putFrom', { ...factsOf(done.manifest), from: done.from.toISOString() }),
      )
      for (const manifest of done.replaced) console.log(translate('overtaken', factsOf(manifest)))
      return 0
  }
}

function cancel(bundleStore: BundleStore, number: number, translate: TranslateBundles): number {
  const manifest = bundleStore.cancel(number)
  console.log(
    manifest === null ? translate('notWaiting', { number: String(number) }) : translate('cancelled', factsOf(manifest)),
  )
  return manifest === null ? 1 : 0
}

function undo(bundleStore: BundleStore, translate: TranslateBundles): number {
  const done = bundleStore.undo(new Date())
  switch (done.kind) {
    case 'undone':
      console.log(translate('undone', factsOf(done.manifest)))
      return 0
    case 'nothing-before':
      console.log(translate('nothingBefore'))
      return 1
    case 'key-revoked':
      console.error(translate('undoRevoked', factsOf(done.manifest)))
      return 1
    case 'waiting':
      console.error(translate('undoWaits', factsOf(done.manifest)))
      return 1
  }
}

function list(bundleStore: BundleStore, translate: TranslateBundles): number {
  const { current, previous, waiting, undoTo, notice } = bundleStore.list()
  const shown = [
    { what: 'current', manifest: current },
    { what: 'previous', manifest: previous },
    { what: 'undoTo', manifest: undoTo },
    ...waiting.map((manifest) => ({ what: 'waiting', manifest }) as const),
  ] as const
  if (shown.every(({ manifest }) => manifest === null)) console.log(translate('none'))
  for (const { what, manifest } of shown) {
    if (manifest === null) continue
    const facts = { ...factsOf(manifest), what: translate(what) }
    console.log(
      manifest.activeFrom === null
        ? translate('line', facts)
        : translate('lineFrom', { ...facts, from: manifest.activeFrom }),
    )
  }
  if (notice === null) return 0
  console.log(
    [translate(`notice.${notice.kind}`, { number: String(notice.number), at: notice.at }), ...notice.words].join('\n'),
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
 * Enables or disables scraping of the lane’s metrics, which a running terminal applies immediately. Prints the token
 * once, alone on standard output. Returns the exit code, or null for an unknown action. Throws TerminalRefused.
 */
export function runMetricsSubcommand(
  dataFolder: string,
  action: string | undefined,
  translate: Translate,
): number | null {
  if (!existsSync(dataFolder)) throw new TerminalRefused(translate('metrics.noFolder', { folder: dataFolder }), 2)
  switch (action) {
    case 'on': {
      const replaced = isScraped(dataFolder)
      console.log(makeScrapeToken(dataFolder))
      console.error(translate(replaced ? 'metrics.replaced' : 'metrics.on'))
      return 0
    }
    case 'off':
      forgetScrapeToken(dataFolder)
      console.log(translate('metrics.off'))
      return 0
    case 'status':
      console.log(translate(isScraped(dataFolder) ? 'metrics.isOn' : 'metrics.isOff'))
      return 0
    default:
      return null
  }
}
