import type { Signer } from '../../keys.ts'
import type { Trusted } from '../../signed.ts'
import type { Channel, Release } from '../../updates/formats.ts'
import { changeChannel, withRelease, type Releases } from '../../updates/release-folder.ts'
import { UpdatesRefusal } from './status.ts'

export type ChannelAction =
  | { readonly kind: 'wave'; readonly version: string; readonly percent: number }
  | { readonly kind: 'halt' | 'resume' | 'stable'; readonly version: string }
  | { readonly kind: 'renew' }

export interface ChannelActionOptions {
  readonly signer: Signer
  readonly trusted: Trusted
  readonly now: Date
}

export interface ChannelActionResult {
  readonly channel: Channel
  /** The release before the change; null if the channel was only renewed. */
  readonly before: Release | null
  readonly unchanged: boolean
}

/** Applies a change to the channel. Throws UpdatesRefusal, ReleaseFolderBusy and ReleaseFolderDistrusted. */
export function applyChannelAction(
  folder: string,
  action: ChannelAction,
  steering: ChannelActionOptions,
): ChannelActionResult {
  let release: Release | null = null
  let unchanged = false
  const channel = changeChannel(folder, {
    ...steering,
    to: (before) => {
      if (before === null) throw new UpdatesRefusal('no-channel', { folder })
      if (action.kind === 'renew') return before && { stable: before.stable, releases: before.releases }
      release = releaseOf(before, action.version, folder)
      const after = applied(before, release, action, folder)
      unchanged = JSON.stringify(after) === JSON.stringify({ stable: before.stable, releases: before.releases })
      return unchanged ? null : after
    },
  })
  if (channel === null) throw new UpdatesRefusal('no-channel', { folder })
  return { channel, before: release, unchanged }
}

function releaseOf({ releases }: Channel, version: string, folder: string): Release {
  const release = releases.find((one) => one.version === version)
  if (release) return release
  const known = releases.map((one) => one.version).join(', ')
  throw new UpdatesRefusal('version-unknown', { version, folder, known })
}

function applied(
  channel: Channel,
  release: Release,
  action: Exclude<ChannelAction, { kind: 'renew' }>,
  folder: string,
): Releases {
  const { version } = release
  switch (action.kind) {
    case 'halt':
      return withRelease(channel, version, { halted: true })
    case 'resume':
      return withRelease(channel, version, { halted: false })
    case 'wave':
      // A halt of a version must be lifted explicitly before its next wave.
      if (release.halted) throw new UpdatesRefusal('version-halted', { version, folder })
      return withRelease(channel, version, { wavePercent: action.percent })
    case 'stable':
      if (release.halted) throw new UpdatesRefusal('version-halted', { version, folder })
      return { ...withRelease(channel, version, { wavePercent: 100 }), stable: version }
  }
}
