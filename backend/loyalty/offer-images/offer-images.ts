import PQueue from 'p-queue'
import type { Clock } from '../../core/clock.ts'
import type { Logger } from '../../core/log.ts'
import { type FetchImage, type ImageType, PICTURE_LIMITS, createFetchImage } from './fetch-image.ts'
import { createImageStore } from './image-files.ts'
import type { App } from '../../core/http/app.ts'
import { memberContract } from '../../../contracts/loyalty/loyalty.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Ctx, droppedOf, perLane } from '../../core/context.ts'
import { proxyFor } from '../../../packages/delivery/outgoing.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { offersOf } from '../offers/offers.ts'

export interface OfferImagesOptions {
  /** Holds nothing that could not be fetched again. */
  readonly folder: string
  readonly fetchImage: FetchImage
  /** Addresses of the pictures of the offers that are kept now. */
  readonly addresses: () => Iterable<string>
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  readonly log: Logger
  /** Told how many pictures had no room. */
  readonly onLeftOut?: (pictures: number) => void
  /** How many bytes all pictures may take. */
  readonly mostBytes?: number
  /** At how many addresses they may be known. */
  readonly mostAddresses?: number
}

export interface OfferImages {
  /** Where the screens have the picture of this address; null: it is not kept. From memory. */
  pathOf(address: string | null): string | null
  /** A picture by its content; null: there is none. */
  read(sha: string): Promise<{ readonly bytes: Buffer; readonly type: ImageType } | null>
  /** The lists have changed: fetches what is new, in the background. Resolves when it is done; never rejects. */
  refresh(): Promise<void>
  /** Ends what is under way. Resolves when nothing is written any more. */
  close(): Promise<void>
}

/** Some two hundred offers of a region with a picture of 100 kB each have room. */
const MOST_BYTES = 48 * 1024 * 1024
const MOST_ADDRESSES = 2_000
const AT_ONCE = 3
/** What was refused is looked at again only then: the address may have got another picture. */
const REFUSED_MS = 6 * 3_600_000
/** A host that did not answer so often in a row is not asked again before the next refresh. */
const MOST_SILENCES = 3

/** One time through the list. */
interface Round {
  /** When it began, in epoch ms. */
  readonly before: number
  /** How often in a row each host has not answered. */
  readonly silences: Map<string, number>
  /** How many came to each end, for the log. */
  readonly failures: Map<string, number>
}

/**
 * The pictures of offers, fetched when a list has come and never when somebody looks: a screen has those that are
 * there. A lane sells as well without any.
 */
export function createOfferImages(options: OfferImagesOptions): OfferImages {
  const { fetchImage, addresses, clock, log } = options
  const store = createImageStore({
    folder: options.folder,
    mostBytes: options.mostBytes ?? MOST_BYTES,
    mostAddresses: options.mostAddresses ?? MOST_ADDRESSES,
    now: () => clock.now(),
  })
  const loaded = store.load()
  const closing = new AbortController()
  /** Until when (monotonic) an address is not asked. */
  const refusedUntil = new Map<string, number>()
  let running: Promise<void> | null = null
  let again = false

  function isDue(url: string): boolean {
    return store.shaAt(url) === null && (refusedUntil.get(url) ?? 0) <= clock.monotonic()
  }

  /** Answers whether there is room for more. */
  async function fetchOne(url: string, { before, silences, failures }: Round): Promise<boolean> {
    const { host } = new URL(url)
    if (closing.signal.aborted || (silences.get(host) ?? 0) >= MOST_SILENCES) return true
    const fetched = await fetchImage(url, closing.signal)
    if (closing.signal.aborted) return true
    silences.set(host, fetched.kind === 'away' ? (silences.get(host) ?? 0) + 1 : 0)
    if (fetched.kind === 'image') return store.keep(url, fetched.bytes, before)
    if (fetched.kind === 'refused') refusedUntil.set(url, clock.monotonic() + REFUSED_MS)
    const failure = `${host}: ${fetched.reason}`
    failures.set(failure, (failures.get(failure) ?? 0) + 1)
    return true
  }

  async function round(): Promise<void> {
    await loaded
    await store.reconcile()
    const wanted = new Set([...addresses()].filter((url) => URL.canParse(url)))
    for (const url of refusedUntil.keys()) if (!wanted.has(url)) refusedUntil.delete(url)
    const state: Round = { before: clock.now(), silences: new Map(), failures: new Map() }
    store.use(wanted)
    const queue = new PQueue({ concurrency: AT_ONCE })
    let full = false
    const work = [...wanted].filter(isDue).map((url) => async (): Promise<void> => {
      if (!full) full = !(await fetchOne(url, state))
    })
    // A disk that takes no more ends the round: what waits is not fetched for nothing.
    await queue.addAll(work).catch((error: unknown) => {
      queue.clear()
      throw error
    })
    // One line for all: a list may name hundreds at a host that is away, or that the store does not allow.
    if (state.failures.size > 0)
      log.info({ failures: Object.fromEntries(state.failures) }, 'pictures of offers could not be fetched')
    if (full) {
      log.warn('pictures of offers were left out: those that are offered now fill the cache')
      options.onLeftOut?.([...wanted].filter(isDue).length)
    }
    // A round that was cut short keeps what it has; no folder is made for a list without pictures.
    if (wanted.size > 0) await store.saveIndex()
  }

  async function rounds(): Promise<void> {
    do {
      again = false
      await round().catch((error: unknown) => {
        log.warn({ err: error }, 'pictures of offers could not be kept')
      })
    } while (again && !closing.signal.aborted)
  }

  return {
    pathOf(address) {
      const sha = address === null ? null : store.shaAt(address)
      return sha === null ? null : `/api/offer-images/${sha}`
    },
    read: (sha) => store.read(sha),
    refresh() {
      if (closing.signal.aborted) return Promise.resolve()
      if (running) again = true
      running ??= rounds().finally(() => {
        running = null
      })
      return running
    },
    async close() {
      closing.abort()
      await running
    },
  }
}

/** The pictures of offers that this lane keeps, for its own screens. */
export function offerImagesRoutes(ctx: Ctx, app: App): void {
  const images = offerImagesOf(ctx)
  serve(app, memberContract['GET /offer-images/:sha'], async (request, reply) => {
    const image = await images.read(request.params.sha)
    if (!image) throw new ProblemError('not-found')
    // Another picture has another name: a screen never asks for this one twice.
    return reply.type(image.type).header('cache-control', 'private, max-age=31536000, immutable').send(image.bytes)
  })
}

/** The pictures of the offers that the lane keeps. */
export const offerImagesOf = perLane((ctx) => {
  const { endpoints, folder } = programOf(ctx)
  const { offers, mode } = ctx.profile
  return createOfferImages({
    ...ctx,
    folder: folder.offerImages,
    fetchImage: createFetchImage({
      sources: { service: endpoints.offers, hosts: offers.imageHosts, plainHttp: mode === 'training' },
      proxied: (hostname) => proxyFor(hostname, endpoints) !== null,
      ...PICTURE_LIMITS,
    }),
    addresses: () => offersOf(ctx).pictures(),
    onLeftOut: (pictures) => droppedOf(ctx).emit('dropped', 'offer-pictures', pictures),
  })
})
