import { rmSync } from 'node:fs'
import { hasTrainingServices, candidates, incompatibility, type LaneVersion } from './choose.ts'
import {
  CHANNEL_FILE,
  manifestPlace,
  MAX_CHANNEL_BYTES,
  MAX_MANIFEST_BYTES,
  openChannel,
  openManifest,
  type Channel,
  type ChannelRefusal,
  type ManifestRefusal,
  type Program,
  type Release,
  type UpdateManifest,
} from './formats.ts'
import { fetchProgram, type FetchedProgram, type Progress } from './fetch-program.ts'
import type { Source } from './request.ts'
import { getBytes, ReleaseWithheld, TooLarge, Unreachable } from './get.ts'
import type { Slots } from './slots.ts'
import { otherSlot, type SlotName } from './slots-state.ts'

export interface CheckOptions {
  readonly slots: Slots
  readonly source: Source
  readonly own: SlotName
  readonly lane: Pick<LaneVersion, 'store' | 'lane' | 'schema'>
  readonly now: () => Date
  readonly onProgress?: (version: string, progress: Progress) => void
}

export type Checked =
  | { readonly kind: 'newest' }
  /** The version is completely downloaded and waits for its trial. `isNew`: this check completed the download. */
  | { readonly kind: 'waiting'; readonly version: string; readonly isNew: boolean }
  | { readonly kind: 'on-trial'; readonly version: string }
  | { readonly kind: 'refused'; readonly what: 'channel'; readonly why: ChannelRefusal }
  | { readonly kind: 'refused'; readonly what: 'manifest'; readonly version: string; readonly why: ManifestRefusal }
  /** The server withholds its channel: a waiting version is not tried, because its wave may be failing. */
  | { readonly kind: 'held-back' }
  | { readonly kind: 'unreachable'; readonly why: string }
  | (Exclude<FetchedProgram, { readonly kind: 'whole' }> & { readonly version: string })

interface Chosen {
  readonly release: Release
  readonly sealed: Buffer
  readonly program: Program
}

/**
 * Checks for the version that this lane should get, and downloads it. Must not run concurrently. Returns server and
 * network errors as results; throws file system errors unchanged.
 */
export async function checkForUpdate(options: CheckOptions): Promise<Checked> {
  const { slots, own } = options
  const { trial, good } = slots.state()
  if (trial !== null || own !== good) return { kind: 'on-trial', version: trial?.version ?? slots.versionIn(own) ?? '' }
  try {
    const opened = await readChannel(options)
    if ('refusal' in opened) return { kind: 'refused', what: 'channel', why: opened.refusal }
    const chosen = await chooseRelease(options, opened.channel)
    if (chosen !== null && 'kind' in chosen) return chosen
    return await fetchChosen(options, chosen)
  } catch (error) {
    if (error instanceof ReleaseWithheld) return { kind: 'held-back' }
    if (error instanceof Unreachable || error instanceof TooLarge) return { kind: 'unreachable', why: error.message }
    throw error
  }
}

export async function readChannel({
  slots,
  source,
  now,
}: Pick<CheckOptions, 'slots' | 'source' | 'now'>): Promise<ReturnType<typeof openChannel>> {
  const file = await limited(getBytes(source, CHANNEL_FILE, MAX_CHANNEL_BYTES))
  if (file === 'too-large') return { refusal: 'too-large' }
  const opened = openChannel(file, slots.trusted(), { seen: slots.state().sequence, now: now() })
  if ('channel' in opened) slots.seen(opened.channel.sequence)
  return opened
}

async function limited(bytes: Promise<Buffer>): Promise<Buffer | 'too-large'> {
  try {
    return await bytes
  } catch (error) {
    if (error instanceof TooLarge) return 'too-large'
    throw error
  }
}

async function chooseRelease(options: CheckOptions, channel: Channel): Promise<Chosen | Checked | null> {
  const { slots, own } = options
  const running = slots.installedIn(slots.folderOf(own))
  const lane: LaneVersion = {
    ...options.lane,
    training: running !== null && hasTrainingServices(running.program),
    platform: slots.platform,
    version: slots.versionIn(own) ?? '0.0.0',
    refused: slots.state().refused.map(({ version }) => version),
  }
  for (const release of candidates(channel, lane)) {
    const read = await readManifest(options, release)
    if ('refusal' in read) return { kind: 'refused', what: 'manifest', version: release.version, why: read.refusal }
    const program = read.manifest.programs.find(({ platform }) => platform === slots.platform)
    if (program !== undefined && incompatibility(read.manifest, release, lane) === null)
      return { release, sealed: read.sealed, program }
  }
  return null
}

async function readManifest(
  { slots, source }: CheckOptions,
  { manifest: expected }: Release,
): Promise<{ readonly manifest: UpdateManifest; readonly sealed: Buffer } | { readonly refusal: ManifestRefusal }> {
  const sealed = await limited(getBytes(source, manifestPlace(expected), MAX_MANIFEST_BYTES))
  if (sealed === 'too-large') return { refusal: 'too-large' }
  const opened = openManifest(sealed, slots.trusted(), expected)
  return 'refusal' in opened ? opened : { manifest: opened.manifest, sealed }
}

/** Downloads the chosen version in place of the waiting one, which may have been halted or is older. */
async function fetchChosen({ slots, source, own, onProgress }: CheckOptions, chosen: Chosen | null): Promise<Checked> {
  const other = otherSlot(own)
  const staging = slots.stagingOf(other)
  const { pending } = slots.state()
  // If the folder of the versions was created again, the same version may have other content.
  const isThat = [staging, slots.folderOf(other)].some(
    (folder) => chosen !== null && slots.installedIn(folder)?.sealed.equals(chosen.sealed),
  )
  if (pending !== null && isThat) return { kind: 'waiting', version: pending.version, isNew: false }
  if (pending !== null || chosen === null) slots.dropPending()
  if (chosen === null) {
    rmSync(staging, { recursive: true, force: true })
    return { kind: 'newest' }
  }
  const { release, sealed, program } = chosen
  const installed = [own, other].flatMap((slot) => {
    const read = slots.installedIn(slots.folderOf(slot))
    return read === null ? [] : [{ folder: slots.folderOf(slot), program: read.program }]
  })
  const fetched = await fetchProgram({
    source,
    program,
    sealed,
    staging,
    installed,
    onProgress: (progress) => onProgress?.(release.version, progress),
  })
  if (fetched.kind !== 'whole') {
    if (fetched.kind === 'other-content') slots.failed(release.version, 'damaged')
    return { ...fetched, version: release.version }
  }
  slots.fetched(release.version, source.base)
  return { kind: 'waiting', version: release.version, isNew: true }
}
