import type { Source } from '../../../delivery/updates/get.ts'
import type { LaneDevice } from '../enrolment/lane-store.ts'

/** Where the profile says that new versions are published. */
export type UpdateSource = Omit<Source, 'signal'>

/**
 * Where a lane looks for new versions; null: nowhere. The token that says which lane reports goes to the server that
 * gave it, or to the store's server that came with it, over TLS, and to no other: whoever is asked has it then.
 */
export function updateSource(
  url: string | undefined,
  device: Pick<LaneDevice, 'service' | 'storeServer' | 'token'> | null,
): UpdateSource | null {
  if (url === undefined) return null
  const { origin, protocol } = new URL(url)
  const known =
    device === null ? [] : [device.service, ...(device.storeServer === null ? [] : [device.storeServer.url])]
  const isTheirs = protocol === 'https:' && known.some((place) => new URL(place).origin === origin)
  return device !== null && isTheirs
    ? { base: url, headers: { authorization: `Bearer ${device.token}` } }
    : { base: url }
}
