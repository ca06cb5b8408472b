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

/** Some two hundred offers of a region with a picture of 100 kB each have room. */
const MOST_BYTES = 48 * 1024 * 1024
const MOST_ADDRESSES = 2_000
const AT_ONCE = 3
/** What was refused is looked at again only then: the address may have got another picture. */
const REFUSED_MS = 6 * 3_600_000
/** A host that did not answer so often in a row is not asked again before the next refresh. */
const MOST_SILENCES = 3

export const imageStoreOf = perLane(
  (ctx) => new ImageStore(programOf(ctx).folder.offerImages, MOST_BYTES, MOST_ADDRESSES, ctx.clock),
)

export const fetchImageOf = perLane((ctx) => {
  const { endpoints } = programOf(ctx)
  const { offers, mode } = ctx.profile
  return createFetchImage(
    { service: endpoints.offers, hosts: offers.imageHosts, plainHttp: mode === 'training' },
    (hostname) => proxyFor(hostname, endpoints) !== null,
  )
})

/** One time through the list. */
interface Round {
  /** When it began, in epoch ms. */
  readonly before: number
  /** How often in a row each host has not answered. */
  readonly silences: Map<string, number>
  /** How many came to each end, for the log. */
  readonly failures: Map<string, number>
}

const offerImagesStateOf = perLane((ctx: Ctx) => ({
  loaded: imageStoreOf(ctx).load(),
  closing: new AbortController(),
  /** Until when (monotonic) an address is not asked. */
  refusedUntil: new Map<string, number>(),
  running: null as Promise<void> | null,
  again: false,
}))

function isDue(ctx: Ctx, url: string): boolean {
  const { refusedUntil } = offerImagesStateOf(ctx)
  return imageStoreOf(ctx).shaAt(url) === null && (refusedUntil.get(url) ?? 0) <= ctx.clock.monotonic()
}

/** Answers whether there is room for more. */
async function fetchOne(ctx: Ctx, url: string, { before, silences, failures }: Round): Promise<boolean> {
  const state = offerImagesStateOf(ctx)
  const { host } = new URL(url)
  if (state.closing.signal.aborted || (silences.get(host) ?? 0) >= MOST_SILENCES) return true
  const fetched = await fetchImageOf(ctx)(url, state.closing.signal)
  if (state.closing.signal.aborted) return true
  silences.set(host, fetched.kind === 'away' ? (silences.get(host) ?? 0) + 1 : 0)
  if (fetched.kind === 'image') return imageStoreOf(ctx).keep(url, fetched.bytes, before)
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
  const current: Round = { before: ctx.clock.now(), silences: new Map(), failures: new Map() }
  store.use(wanted)
  const queue = new PQueue({ concurrency: AT_ONCE })
  let full = false
  const work = [...wanted]
    .filter((url) => isDue(ctx, url))
    .map((url) => async (): Promise<void> => {
      if (!full) full = !(await fetchOne(ctx, url, current))
    })
  // A disk that takes no more ends the round: what waits is not fetched for nothing.
  await queue.addAll(work).catch((error: unknown) => {
    queue.clear()
    throw error
  })
  // One line for all: a list may name hundreds at a host that is away, or that the store does not allow.
  if (current.failures.size > 0)
    ctx.log.info({ failures: Object.fromEntries(current.failures) }, 'pictures of offers could not be fetched')
  if (full) {
    ctx.log.warn('pictures of offers were left out: those that are offered now fill the cache')
    droppedOf(ctx).emit('dropped', 'offer-pictures', [...wanted].filter((url) => isDue(ctx, url)).length)
  }
  // A round that was cut short keeps what it has; no folder is made for a list without pictures.
  if (wanted.size > 0) await store.saveIndex()
}

async function rounds(ctx: Ctx): Promise<void> {
  const state = offerImagesStateOf(ctx)
  do {
    state.again = false
    await round(ctx).catch((error: unknown) => {
      ctx.log.warn({ err: error }, 'pictures of offers could not be kept')
    })
  } while (state.again && !state.closing.signal.aborted)
}

/** Where the screens have the picture of this address; null: it is not kept. From memory. */
function pathOf(ctx: Ctx, address: string | null): string | null {
  const sha = address === null ? null : imageStoreOf(ctx).shaAt(address)
  return sha === null ? null : `/api/offer-images/${sha}`
}

/** The lists have changed: fetches what is new, in the background. Resolves when it is done; never rejects. */
function refresh(ctx: Ctx): Promise<void> {
  const state = offerImagesStateOf(ctx)
  if (state.closing.signal.aborted) return Promise.resolve()
  if (state.running) state.again = true
  state.running ??= rounds(ctx).finally(() => {
    state.running = null
  })
  return state.running
}

/** Ends what is under way. Resolves when nothing is written any more. */
async function close(ctx: Ctx): Promise<void> {
  const state = offerImagesStateOf(ctx)
  state.closing.abort()
  await state.running
}

/**
 * The pictures of offers, fetched when a list has come and never when somebody looks: a screen has those that are
 * there. A lane sells as well without any.
 */
export const offerImagesOf = perLane((ctx: Ctx) => {
  offerImagesStateOf(ctx)
  offersOf(ctx).onKept(() => void refresh(ctx))
  onStop(ctx, () => close(ctx))
  return {
    ...bound(ctx, {
      pathOf,
      refresh,
      close,
    }),
    /** A picture by its content; null: there is none. */
    read: (sha: string) => imageStoreOf(ctx).read(sha),
  }
})

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
