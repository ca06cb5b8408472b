import type { Agent } from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import { createProver } from '../../../packages/delivery/enrolment/proof.ts'
import { trustFor, UnreachedError } from '../../../packages/delivery/enrolment/secure-call.ts'
import { outgoingAgent } from '../../../packages/delivery/outgoing.ts'
import type { Source } from '../../../packages/delivery/updates/ask.ts'
import type { LaneDevice } from '../enrolment/lane-store.ts'

/** Where the profile says that new versions are published. */
export type UpdateSource = Omit<Source, 'signal'>

type Device = Pick<LaneDevice, 'service' | 'certificate' | 'storeServer' | 'token' | 'key'>

/**
 * Where a lane looks for new versions; null: nowhere. The token that says which lane reports goes to the server that
 * gave it, or to the store's server that came with it, over TLS, and to no other: whoever is asked has it then. The
 * certificate by which the lane knew such a server when it was enrolled is the one that it believes from then on; where
 * it knew none, the authorities of this system are, as at its enrolment.
 */
export function updateSource(url: string | undefined, device: Device | null): UpdateSource | null {
  if (url === undefined) return null
  const { origin, protocol } = new URL(url)
  const isAt = (place: string): boolean => new URL(place).origin === origin
  if (device === null || protocol !== 'https:') return { base: url }
  const { service, certificate, storeServer, token, key } = device
  const prover = createProver({ token, key })
  const isStore = storeServer !== null && isAt(storeServer.url)
  const pins = isStore ? storeServer.ca : null
  // The pinned authority of the store remains valid after the certificate of the enrolment has expired.
  if (pins !== null) {
    const trust = { ca: [pins], allowPartialTrustChain: true }
    return { base: url, prover, agent: once(() => Promise.resolve(trust)) }
  }
  if (isAt(service)) return { base: url, prover, agent: once(() => asEnrolled(new URL(service), certificate)) }
  return isStore ? { base: url, prover, agent: once(() => trustFor(new URL(url), null)) } : { base: url }
}

/** A server that has another certificate by now may have one of an authority's. */
async function asEnrolled(service: URL, certificate: string | null): Promise<ConnectionOptions> {
  try {
    return await trustFor(service, certificate)
  } catch (error) {
    if (error instanceof UnreachedError && error.why === 'certificate') return trustFor(service, null)
    throw error
  }
}

/** Whatever the environment says of it. Its certificate is looked at once, when it is there. */
function once(trust: () => Promise<ConnectionOptions>): () => Promise<Agent> {
  let known: Promise<Agent> | null = null
  return () => {
    known ??= trust().then((options) => outgoingAgent({ ...options, rejectUnauthorized: true, keepAlive: true }))
    known.catch(() => (known = null))
    return known
  }
}
