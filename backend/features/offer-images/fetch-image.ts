import { request as requestHttp, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { outgoingAgent } from '../../../delivery/outgoing.ts'
import { lookupPublic, sourceOf, type ImageSources } from './allowed.ts'
import { imageTypeOf, type ImageType } from './image-type.ts'

export interface FetchImageOptions {
  readonly sources: ImageSources
  /** Whether calls to this host go through the store's proxy: then the proxy looks up the name. */
  readonly proxied: (hostname: string) => boolean
  readonly mostBytes: number
  readonly timeoutMs: number
}

/**
 * What became of a picture. `away`: nobody answered in time, and somebody may the next time. `refused`: what came, or
 * where it is, is none that a lane takes.
 */
export type FetchedImage =
  | { readonly kind: 'image'; readonly bytes: Buffer; readonly type: ImageType }
  | { readonly kind: 'away'; readonly reason: string }
  | { readonly kind: 'refused'; readonly reason: string }

export type FetchImage = (url: string, signal: AbortSignal) => Promise<FetchedImage>

/** A picture of a card on a screen is some tens of kilobytes. */
export const PICTURE_LIMITS = { mostBytes: 512 * 1024, timeoutMs: 10_000 } as const

const MOST_REDIRECTS = 3
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** One picture over the network: one deadline over all of it, redirects within its host included. Never throws. */
export const createFetchImage = (options: FetchImageOptions): FetchImage => {
  async function follow(url: string, signal: AbortSignal, redirects: number): Promise<FetchedImage> {
    const source = sourceOf(url, options.sources)
    if (source === null) return refused('pictures are not fetched from there')
    const response = await open(new URL(url), source === 'other' && !options.proxied(new URL(url).hostname), signal)
    const status = response.statusCode ?? 0
    if (status === 200) return read(response, options.mostBytes)
    response.destroy()
    if (!REDIRECTS.has(status)) return status >= 500 ? away(`HTTP ${status}`) : refused(`HTTP ${status}`)
    const { location = '' } = response.headers
    const next = URL.canParse(location, url) ? new URL(location, url) : null
    if (next?.origin !== new URL(url).origin) return refused('a redirect to another host')
    return redirects === 0 ? refused('too many redirects') : follow(next.href, signal, redirects - 1)
  }
  return async (url, called) => {
    const signal = AbortSignal.any([called, AbortSignal.timeout(options.timeoutMs)])
    try {
      return await follow(url, signal, MOST_REDIRECTS)
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreachable'
      if (code === 'NOT_PUBLIC') return refused('the name leads into a private network')
      return away(signal.aborted ? 'no answer in time' : code)
    }
  }
}

const refused = (reason: string): FetchedImage => ({ kind: 'refused', reason })
const away = (reason: string): FetchedImage => ({ kind: 'away', reason })

/** Resolves with the head of the answer. No cookie, no token and no address of a page goes with the question. */
function open(url: URL, publicOnly: boolean, signal: AbortSignal): Promise<IncomingMessage> {
  const ask = url.protocol === 'https:' ? requestHttps : requestHttp
  const how: RequestOptions = {
    signal,
    headers: { accept: 'image/png, image/jpeg, image/webp' },
    // A connection of its own: none that was opened to an address that nobody looked at.
    agent: url.protocol === 'https:' ? outgoingAgent() : false,
    ...(publicOnly ? { lookup: lookupPublic } : {}),
  }
  return new Promise((resolve, reject) => {
    ask(url, how, resolve).on('error', reject).end()
  })
}

async function read(response: IncomingMessage, mostBytes: number): Promise<FetchedImage> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk)
    size += bytes.byteLength
    // Leaving the loop closes the connection.
    if (size > mostBytes) return refused(`larger than ${mostBytes} bytes`)
    chunks.push(bytes)
  }
  const bytes = Buffer.concat(chunks)
  const type = imageTypeOf(bytes)
  return type === null ? refused('neither PNG, JPEG nor WebP') : { kind: 'image', bytes, type }
}
