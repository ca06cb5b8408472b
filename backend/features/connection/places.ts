import type { ConnectionService } from '../../../contracts/api/connection.ts'
import type { Profile } from '../../../contracts/profile.ts'
import { proxyFor } from '../../../delivery/outgoing.ts'

type Endpoints = NonNullable<Profile['endpoints']>

/** One address of the profile, by its host and port, with the services that are there. */
export interface Place {
  readonly hostname: string
  readonly port: number
  readonly encrypted: boolean
  readonly services: readonly ConnectionService[]
  /** What calls to it go through; null: nothing. */
  readonly proxy: URL | null
}

/** `name:port`, as people read it. */
export const hostOf = ({ hostname, port }: Pick<Place, 'hostname' | 'port'>): string => `${hostname}:${port}`

/** Brackets belong to the address of IPv6 in a URL, and not to the address. */
export const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, '$1')

/** Where the profile's services are, each place once, in the order in which the check needs them. */
export function placesOf({ token, cash, issuance, offers, offerState, history, ...setting }: Endpoints): Place[] {
  const addresses: readonly (readonly [ConnectionService, string | undefined])[] = [
    ['token', token.url],
    ['cash', cash],
    ['issuance', issuance],
    ['offers', offers],
    ['offer-state', offerState],
    ['history', history],
  ]
  const places = new Map<string, Place & { readonly services: ConnectionService[] }>()
  for (const [service, address] of addresses) {
    if (address === undefined) continue
    const url = new URL(address)
    const known = places.get(url.origin)
    const proxy = proxyFor(url.hostname, setting)
    if (known) known.services.push(service)
    else
      places.set(url.origin, {
        hostname: bare(url.hostname),
        port: portOf(url),
        encrypted: url.protocol === 'https:',
        services: [service],
        proxy,
      })
  }
  return [...places.values()]
}

const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port))
