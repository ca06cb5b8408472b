import { Agent } from 'node:https'
import { trustFor } from '../../../delivery/enrolment/secure-call.ts'
import type { Source } from '../../../delivery/updates/ask.ts'
import type { LaneDevice } from '../enrolment/lane-store.ts'

/** Where the profile says that new versions are published. */
export type UpdateSource = Omit<Source, 'signal'>

type Device = Pick<LaneDevice, 'service' | 'certificate' | 'storeServer' | 'token'>

/**
 * Where a lane looks for new versions; null: nowhere. The token that says which lane reports goes to the server that
 * gave it, or to the store's server that came with it, over TLS, and to no other: whoever is asked has it then. The
 * certificate by which the lane knew such a server when it was enrolled is the one that it believes from then on.
 */
export function updateSource(url: string | undefined, device: Device | null): UpdateSource | null {
  if (url === undefined) return null
  const { origin, protocol } = new URL(url)
  const isAt = (place: string): boolean => new URL(place).origin === origin
  if (device === null || protocol !== 'https:') return { base: url }
  const { service, certificate, storeServer, token } = device
  const headers = { authorization: `Bearer ${token}` }
  if (isAt(service))
    return { base: url, headers, ...(certificate === null ? {} : { agent: believing(new URL(service), certificate) }) }
  if (storeServer === null || !isAt(storeServer.url)) return { base: url }
  const { ca } = storeServer
  return { base: url, headers, ...(ca === null ? {} : { agent: () => Promise.resolve(agentOf({ ca: [ca] })) }) }
}

/** Its certificate is looked at once, when it is there. */
function believing(service: URL, certificate: string): () => Promise<Agent> {
  let known: Promise<Agent> | null = null
  return () => {
    known ??= trustFor(service, certificate).then(agentOf)
    known.catch(() => (known = null))
    return known
  }
}

/** Whatever the environment says of it. */
const agentOf = (trust: Awaited<ReturnType<typeof trustFor>>): Agent =>
  new Agent({ ...trust, allowPartialTrustChain: true, rejectUnauthorized: true, keepAlive: true })
