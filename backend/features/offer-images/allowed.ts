import { lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/** What may be asked for a picture. */
export interface ImageSources {
  /** The offer service: its own pictures are fetched from wherever it is. */
  readonly service: string
  /** Other hosts that the store allows, over https and at public addresses alone. */
  readonly hosts: readonly string[]
  /** Whether the offer service may be asked over http: the services of training have no certificate. */
  readonly plainHttp: boolean
}

/** `service`: the offer service's own; `other`: a host that the store allows; null: nobody asks there. */
export function sourceOf(address: string, { service, hosts, plainHttp }: ImageSources): 'service' | 'other' | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || url.username !== '' || url.password !== '') return null
  if (url.protocol !== 'https:' && !(plainHttp && url.protocol === 'http:')) return null
  if (url.origin === new URL(service).origin) return 'service'
  if (url.protocol !== 'https:' || url.port !== '' || !hosts.includes(url.hostname)) return null
  return isPublicHost(url.hostname) ? 'other' : null
}

/** A name may be anybody's; an address is looked at. */
const isPublicHost = (hostname: string): boolean => {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) === 0 || isPublicAddress(bare)
}

/**
 * Networks that are nobody's on the Internet (RFC 6890), and those that carry an address of IPv4 in one of IPv6. One
 * that is mapped (::ffff:…) is looked at as the address of IPv4 that it is.
 */
const NOT_PUBLIC = new BlockList()
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  NOT_PUBLIC.addSubnet(network, bits, 'ipv4')
for (const [network, bits] of [
  ['::', 96],
  ['64:ff9b::', 32],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  NOT_PUBLIC.addSubnet(network, bits, 'ipv6')

export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && !NOT_PUBLIC.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/**
 * The addresses of a name, and none at all where one of them is not public. Given to the connection itself: what was
 * looked at is what is called, and a name that answers otherwise the next time gains nothing.
 */
export const lookupPublic: LookupFunction = (hostname, options, answer) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const [first] = found ?? []
    if (error || !first) answer(error ?? new Error('the name has no address'), [])
    else if (!found.every(({ address }) => isPublicAddress(address)))
      answer(Object.assign(new Error('the name leads into a private network'), { code: 'NOT_PUBLIC' }), [])
    else if (options.all) answer(null, found)
    else answer(null, first.address, first.family)
  })
}
