import PQueue from 'p-queue'
import { createFetchImage } from './fetch-image.ts'
import { ImageStore } from './image-files.ts'
import type { App } from '../../core/http/app.ts'
import { memberContract } from '../../../contracts/loyalty/loyalty.routes.ts'
import { serve } from '../../core/http/serve.ts'
import { ProblemError } from '../../core/problem.ts'
import { type Ctx, bound, droppedOf, perLane } from '../../core/context.ts'
import { onStop } from '../../core/lifecycle.ts'
import { proxyFor } from '../../../packages/delivery/outgoing.ts'
import { programOf } from '../../core/program/lane-program.ts'
import { offersOf } from '../offers/offers.ts'

/** Maximum size of the cache in bytes: about five hundred pictures of 100 kB. */
const MAX_BYTES = 48 * 1024 * 1024
const MAX_ADDRESSES = 2_000
const AT_ONCE = 3
/** Interval before a refused picture address is tried again: the picture may have been replaced. */
const REFUSED_MS = 6 * 3_600_000
const MAX_FAILURES_PER_HOST = 3

export const imageStoreOf = perLane(
  (ctx) => new ImageStore(programOf(ctx).folder.offerImages, MAX_BYTES, MAX_ADDRESSES, ctx.clock),
)

export const fetchImageOf = perLane((ctx) => {
  const { endpoints } = programOf(ctx)
  const { offers, mode } = ctx.profile
  return createFetchImage(
    { service: endpoints.offers, hosts: offers.imageHosts, plainHttp: mode === 'training' },
    (hostname) => proxyFor(hostname, endpoints) !== null,
  )
})

interface Round {
  readonly before: number
  readonly failuresByHost: Map<string, number>
  readonly failures: Map<string, number>
}

const offerImagesStateOf = perLane((ctx: Ctx) => ({
  loaded: imageStoreOf(ctx).load(),
  closing: new AbortController(),
  refusedUntil: new Map<string, number>(),
  running: null as Promise<void> | null,
  again: false,
}))

function isDue(ctx: Ctx, url: string): boolean {
  const { refusedUntil } = offerImagesStateOf(ctx)
  return imageStoreOf(ctx).shaAt(url) === null && (refusedUntil.get(url) ?? 0) <= ctx.clock.monotonic()
}

async function fetchOne(ctx: Ctx, url: string, { before, failuresByHost, failures }: Round): Promise<boolean> {
  const state = offerImagesStateOf(ctx)
  const { host } = new URL(url)
  if (state.closing.signal.aborted || (failuresByHost.get(host) ?? 0) >= MAX_FAILURES_PER_HOST) return true
  const fetched = await fetchImageOf(ctx)(url, state.closing.signal)
  if (state.closing.signal.aborted) return true
  failuresByHost.set(host, fetched.kind === 'unavailable' ? (failuresByHost.get(host) ?? 0) + 1 : 0)
  if (fetched.kind === 'image') return imageStoreOf(ctx).store(url, fetched.bytes, before)
  if (fetched.kind === 'refused') state.refusedUntil.set(url, ctx.clock.monotonic() + REFUSED_MS)
  const failure = `${host}: ${fetched.reason}`
  failures.set(failure, (failures.get(failure) ?? 0) + 1)
  return true
}

async function round(ctx: Ctx): Promise<void> {
  const store = imageStoreOf(ctx)
  const { loaded, refusedUntil } = offerImagesStateOf(ctx)
  await loaded
  await store.reconcile()
  const wanted = new Set([...offersOf(ctx).pictures()].filter((url) => URL.canParse(url)))
  for (const url of refusedUntil.keys()) if (!wanted.has(url)) refusedUntil.delete(url)
  const current: Round = { before: ctx.clock.now(), failuresByHost: new Map(), failures: new Map() }
  store.use(wanted)
  const queue = new PQueue({ concurrency: AT_ONCE })
  let full = false
  const work = [...wanted]
    .filter((url) => isDue(ctx, url))
    .map((url) => async (): Promise<void> => {
      if (!full) full = !(await fetchOne(ctx, url, current))
    })
  // A failed write, for example on a full disk, ends the pass without further fetches.
  await queue.addAll(work).catch((error: unknown) => {
    queue.clear()
    throw error
  })
  // Log one summary: a list may contain hundreds of pictures of one unavailable or disallowed host.
  if (current.failures.size > 0)
    ctx.log.info({ failures: Object.fromEntries(current.failures) }, 'could not fetch pictures of offers')
  if (full) {
    ctx.log.warn('skipped pictures of offers: the cache is full of pictures of current offers')
    droppedOf(ctx).emit('dropped', 'offer-pictures', [...wanted].filter((url) => isDue(ctx, url)).length)
  }
  if (wanted.size > 0) await store.saveIndex()
}

async function rounds(ctx: Ctx): Promise<void> {
  const state = offerImagesStateOf(ctx)
  do {
    state.again = false
    await round(ctx).catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'could not store pictures of offers')
    })
  } while (state.again && !state.closing.signal.aborted)
}

function pathOf(ctx: Ctx, address: string | null): string | null {
  const sha = address === null ? null : imageStoreOf(ctx).shaAt(address)
  return sha === null ? null : `/api/offer-images/${sha}`
}

/**
 * Fetches new pictures in the background after the lists of offers have changed. Resolves when it is done; never
 * rejects.
 */
function refresh(ctx: Ctx): Promise<void> {
  const state = offerImagesStateOf(ctx)
  if (state.closing.signal.aborted) return Promise.resolve()
  if (state.running) state.again = true
  state.running ??= rounds(ctx).finally(() => {
    state.running = null
  })
  return state.running
}

async function close(ctx: Ctx): Promise<void> {
  const state = offerImagesStateOf(ctx)
  state.closing.abort()
  await state.running
}

/**
 * Cache of offer pictures. Pictures are fetched when a list of offers arrives, never on display: screens show only
 * cached pictures, and a lane sells without any.
 */
export const offerImagesOf = perLane((ctx: Ctx) => {
  offerImagesStateOf(ctx)
  offersOf(ctx).onStored(() => void refresh(ctx))
  onStop(ctx, () => close(ctx))
  return {
    ...bound(ctx, {
      pathOf,
      refresh,
      close,
    }),
    read: (sha: string) => imageStoreOf(ctx).read(sha),
  }
})

export function offerImagesRoutes(ctx: Ctx, app: App): void {
  const images = offerImagesOf(ctx)
  serve(app, memberContract['GET /offer-images/:sha'], async (request, reply) => {
    const image = await images.read(request.params.sha)
    if (!image) throw new ProblemError('not-found')
    // The path contains the hash of the picture, so the content never changes.
    return reply.type(image.type).header('cache-control', 'private, max-age=31536000, immutable').send(image.bytes)
  })
}
