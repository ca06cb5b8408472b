import type { Agent } from 'node:https'
import type { ConnectionOptions } from 'node:tls'
import { createProver } from '../../../packages/delivery/enrolment/proof.ts'
import { tlsOptionsFor, UnreachedError } from '../../../packages/delivery/enrolment/secure-call.ts'
import { outgoingAgent } from '../../../packages/delivery/outgoing.ts'
import type { Source } from '../../../packages/delivery/updates/request.ts'
import type { LaneDevice } from '../enrolment/lane-store.ts'

export type UpdateSource = Omit<Source, 'signal'>

type Device = Pick<LaneDevice, 'service' | 'certificate' | 'storeServer' | 'token' | 'key'>

/**
 * Release server of a lane, or null. The token that identifies the lane is sent only over TLS, and only to the server
 * that issued it or to the store's server, because a receiver could use it. A certificate known from the enrolment is
 * trusted; without one, the system's authorities are, as in the enrolment.
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
  // The store's authority is still valid when the certificate of the enrolment has expired.
  if (pins !== null) {
    const trust = { ca: [pins], allowPartialTrustChain: true }
    return { base: url, prover, agent: once(() => Promise.resolve(trust)) }
  }
  if (isAt(service)) return { base: url, prover, agent: once(() => asEnrolled(new URL(service), certificate)) }
  return isStore ? { base: url, prover, agent: once(() => tlsOptionsFor(new URL(url), null)) } : { base: url }
}

/**
 * Trusts the certificate of the enrolment; or the system's authorities, if the server has a certificate of one by now.
 */
async function asEnrolled(service: URL, certificate: string | null): Promise<ConnectionOptions> {
  try {
    return await tlsOptionsFor(service, certificate)
  } catch (error) {
    if (error instanceof UnreachedError && error.why === 'certificate') return tlsOptionsFor(service, null)
    throw error
  }
}

/**
 * Verifies certificates even if the environment disables it. The trusted certificates are loaded once, when they are
 * needed.
 */
function once(trust: () => Promise<ConnectionOptions>): () => Promise<Agent> {
  let known: Promise<Agent> | null = null
  return () => {
    known ??= trust().then((options) => outgoingAgent({ ...options, rejectUnauthorized: true, keepAlive: true }))
    known.catch(() => (known = null))
    return known
  }
}
