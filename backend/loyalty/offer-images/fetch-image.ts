import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { outgoingAgent } from '../../../packages/delivery/outgoing.ts'
import { lookup } from 'node:dns'
import { BlockList, type LookupFunction, isIP } from 'node:net'

/**
 * The result of fetching a picture. `unavailable`: temporary failure, try again later. `refused`: the picture or its
 * address is not acceptable.
 */
export type FetchedImage =
  | { readonly kind: 'image'; readonly bytes: Buffer; readonly type: ImageType }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }

export type FetchImage = (url: string, signal: AbortSignal) => Promise<FetchedImage>

/**
 * Maximum size of a picture, and deadline for fetching it. The picture of an offer usually has some tens of kilobytes.
 */
export const PICTURE_LIMITS = { maxBytes: 512 * 1024, timeoutMs: 10_000 } as const

const MAX_REDIRECTS = 3
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/**
 * Fetches one picture with one deadline, which includes redirects within the host. Never throws. `proxied`: whether
 * requests to a host use the store's proxy, which then resolves the host name.
 */
export const createFetchImage = (
  sources: ImageSources,
  proxied: (hostname: string) => boolean,
  limits: Readonly<Record<keyof typeof PICTURE_LIMITS, number>> = PICTURE_LIMITS,
): FetchImage => {
  async function follow(url: string, signal: AbortSignal, redirects: number): Promise<FetchedImage> {
    const source = sourceOf(url, sources)
    if (source === null) return refused('pictures are not fetched from there')
    const response = await open(new URL(url), source === 'other' && !proxied(new URL(url).hostname), signal)
    const status = response.statusCode ?? 0
    if (status === 200) return read(response, limits.maxBytes)
    response.destroy()
    if (!REDIRECTS.has(status)) return status >= 500 ? unavailable(`HTTP ${status}`) : refused(`HTTP ${status}`)
    const { location = '' } = response.headers
    const next = URL.canParse(location, url) ? new URL(location, url) : null
    if (next?.origin !== new URL(url).origin) return refused('a redirect to another host')
    return redirects === 0 ? refused('too many redirects') : follow(next.href, signal, redirects - 1)
  }
  return async (url, called) => {
    const signal = AbortSignal.any([called, AbortSignal.timeout(limits.timeoutMs)])
    try {
      return await follow(url, signal, MAX_REDIRECTS)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreachable'
      if (code === 'NOT_PUBLIC') return refused('the name leads into a private network')
      return unavailable(signal.aborted ? 'no answer in time' : code)
    }
  }
}

const refused = (reason: string): FetchedImage => ({ kind: 'refused', reason })
const unavailable = (reason: string): FetchedImage => ({ kind: 'unavailable', reason })

/** Sends the request and resolves with the head of the response. The request has no cookie, token or referrer. */
function open(url: URL, publicOnly: boolean, signal: AbortSignal): Promise<IncomingMessage> {
  const ask = url.protocol === 'https:' ? requestHttps : requestHttp
  const how: RequestOptions = {
    signal,
    headers: { accept: 'image/png, image/jpeg, image/webp' },
    // Use a new connection: a pooled one may lead to an address that was not checked.
    agent: url.protocol === 'https:' ? outgoingAgent() : false,
    ...(publicOnly ? { lookup: lookupPublic } : {}),
  }
  return new Promise((resolve, reject) => {
    ask(url, how, resolve).on('error', reject).end()
  })
}

async function read(response: IncomingMessage, maxBytes: number): Promise<FetchedImage> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk)
    size += bytes.byteLength
    if (size > maxBytes) return refused(`larger than ${maxBytes} bytes`)
    chunks.push(bytes)
  }
  const bytes = Buffer.concat(chunks)
  const type = imageTypeOf(bytes)
  return type === null ? refused('neither PNG, JPEG nor WebP') : { kind: 'image', bytes, type }
}

export interface ImageSources {
  /** Address of the offer service, whose own pictures may be at any network address. */
  readonly service: string
  /** Other hosts that the store allows, only over HTTPS and at public network addresses. */
  readonly hosts: readonly string[]
  /** Whether HTTP is allowed for the offer service; true for the training services, which have no certificate. */
  readonly plainHttp: boolean
}

/**
 * Returns `service` for a picture of the offer service itself, `other` for one of an allowed host, null for a
 * disallowed address.
 */
export function sourceOf(address: string, { service, hosts, plainHttp }: ImageSources): 'service' | 'other' | null {
  const url = URL.canParse(address) ? new URL(address) : null
  if (!url || url.username !== '' || url.password !== '') return null
  if (url.protocol !== 'https:' && !(plainHttp && url.protocol === 'http:')) return null
  if (url.origin === new URL(service).origin) return 'service'
  if (url.protocol !== 'https:' || url.port !== '' || !hosts.includes(url.hostname)) return null
  return isPublicHost(url.hostname) ? 'other' : null
}

/** Whether the host of a URL may be public: checks network addresses; host names are checked when they are resolved. */
const isPublicHost = (hostname: string): boolean => {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(bare) === 0 || isPublicAddress(bare)
}

/**
 * Networks that are not public (RFC 6890), and IPv6 networks that embed IPv4 addresses. Mapped addresses (::ffff:…) are
 * checked as IPv4.
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
 * Resolves a host name, and fails if any of its addresses is not public. The connection uses this function for its
 * lookup, so that a later DNS answer cannot differ from the checked one.
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

interface Head {
  readonly width: number
  readonly height: number
}

/**
 * Maximum width and height of a picture in pixels: a small file can contain a picture that takes a gigabyte to decode.
 */
const MAX_SIDE = 4_096

/** Supported picture types by their magic bytes; the server's content type is ignored. */
const READERS = {
  'image/png': pngHead,
  'image/jpeg': jpegHead,
  'image/webp': webpHead,
} as const satisfies Record<string, (bytes: Buffer) => Head | null>
export type ImageType = keyof typeof READERS

export function imageTypeOf(bytes: Buffer): ImageType | null {
  for (const type of ['image/png', 'image/jpeg', 'image/webp'] as const) {
    const head = READERS[type](bytes)
    if (head) return fits(head) ? type : null
  }
  return null
}

const fits = ({ width, height }: Head): boolean => width > 0 && height > 0 && width <= MAX_SIDE && height <= MAX_SIDE

const begins = (bytes: Buffer, at: number, text: string): boolean =>
  bytes.toString('latin1', at, at + text.length) === text

/** ISO/IEC 15948 §11.2.2: the header is the first chunk of a PNG. */
function pngHead(bytes: Buffer): Head | null {
  if (!begins(bytes, 0, '\x89PNG\r\n\x1a\n') || !begins(bytes, 12, 'IHDR') || bytes.length < 24) return null
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** ITU-T T.81 §B.2: segments of a JPEG start with markers, and the frame header has the size. */
function jpegHead(bytes: Buffer): Head | null {
  if (!begins(bytes, 0, '\xff\xd8\xff')) return null
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff;) {
    const marker = bytes[at + 1] ?? 0
    // C4 and CC are tables, and C8 is reserved; the other markers from C0 to CF begin a frame.
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}

/** RFC 9649: lossy (§2.5), lossless (§2.6) and extended (§2.7) WebP files have the size at different offsets. */
function webpHead(bytes: Buffer): Head | null {
  if (!begins(bytes, 0, 'RIFF') || !begins(bytes, 8, 'WEBP') || bytes.length < 30) return null
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const sizes = bytes.readUInt32LE(21)
      return { width: (sizes & 0x3fff) + 1, height: ((sizes >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return null
  }
}
