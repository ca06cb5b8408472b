import type { FastifyInstance } from 'fastify'
import {
  HeartbeatRequest,
  HelloRequest,
  LONGEST_WAIT_MS,
  PullRequest,
  PushRequest,
  STORE_PATHS,
  STORE_PROTOCOL,
  type Fact,
  type HeartbeatAnswer,
  type HelloAnswer,
  type PullAnswer,
  type PushAnswer,
  type Vector,
} from '../../../contracts/store/protocol.ts'
import { isScraped } from '../../delivery/metrics-registry.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import { BUSY } from '../calls.ts'
import { refusal } from '../server.ts'
import { createGate, createNews, notice, readNotice } from './news.ts'
import type { StoreCounts } from '../metrics/counts.ts'
import { forLane } from './caller.ts'
import { type Pushed, greetLane, headsFor, noteHeartbeat, pullFacts, pushFacts } from './lanes.sql.ts'

/** A push of the most facts there may be. */
const BODY_LIMIT = 4 * 1024 * 1024
/** NOTIFY of new facts (`notice`). */
const CHANNEL = 'milepost_facts'
/**
 * So many pushes are applied at once, and so many wait their turn; others are told to come again. A lane sends one at a
 * time, and one more where the answer was lost.
 */
const PUSHES = { atOnce: 8, waiting: 64, ofOne: 2 } as const
const RETRY_SECONDS = 1

type News = ReturnType<typeof createNews>

export const LANES_TABLES = readMigrations('lanes')

/** What the lanes tell their store, and hear of one another. */
export function laneRoutes(app: FastifyInstance, ctx: StoreContext): void {
  const news = createNews()
  const listening = ctx.db.listen(CHANNEL, (payload) => news.told(payload === null ? null : readNotice(payload)))
  app.addHook('onClose', async () => {
    news.told(null)
    await listening.close()
  })
  helloRoute(app, ctx)
  pushRoute(app, ctx, news)
  heartbeatRoute(app, ctx, news)
  app.post(
    STORE_PATHS.pull,
    { bodyLimit: BODY_LIMIT },
    forLane(PullRequest, async (caller, asked) => {
      const { facts, ...reached } = await pullFacts(ctx, caller, asked)
      return { facts: [...facts], ...reached } satisfies PullAnswer
    }),
  )
}

const timeOf = (ctx: StoreContext): string => new Date(ctx.now()).toISOString()

/** Whether one of the heads is ahead of the vector. */
const isNews = (heads: Vector, vector: Vector): boolean =>
  Object.entries(heads).some(([stream, seq]) => seq > (vector[stream] ?? 0))

function helloRoute(app: FastifyInstance, ctx: StoreContext): void {
  const { counts, settings } = ctx
  const { sealKey, authority } = settings
  app.post(
    STORE_PATHS.hello,
    { bodyLimit: BODY_LIMIT },
    forLane(HelloRequest, async (caller, body, _request, reply) => {
      const greeted = await greetLane(ctx, caller, body)
      if (greeted.kind !== 'applied') {
        if (greeted.kind === 'other-history') counts.pushRefused(greeted.kind)
        return reply.code(409).send(refusal(greeted.kind))
      }
      const { applied, isBehind, session } = greeted
      // The lane sees so itself, and tells nothing more.
      if (isBehind) counts.pushRefused('other-history')
      return {
        protocol: STORE_PROTOCOL,
        store: caller.store,
        lane: caller.lane,
        sealKey: Buffer.from(sealKey).toString('base64'),
        ...(authority === null ? {} : { authority }),
        applied,
        session: session ?? undefined,
        serverTime: timeOf(ctx),
      } satisfies HelloAnswer
    }),
  )
}

function pushRoute(app: FastifyInstance, ctx: StoreContext, news: News): void {
  const { counts } = ctx
  const gate = createGate(PUSHES)
  app.post(
    STORE_PATHS.facts,
    { bodyLimit: BODY_LIMIT },
    forLane(PushRequest, async (caller, { stream, facts }, request, reply) => {
      const from = performance.now()
      const pushed = await gate(`${caller.store}/${caller.lane}`, () => pushFacts(ctx, caller, stream, facts))
      counts.pushTook((performance.now() - from) / 1_000)
      if (pushed?.kind === 'token') return reply.code(401).send(refusal('token'))
      countPush(counts, pushed, facts)
      if (pushed === null) {
        request.outcome = BUSY
        return reply.code(503).header('retry-after', RETRY_SECONDS).send(refusal(BUSY))
      }
      if (pushed.kind === 'gap') return reply.code(409).send({ ...refusal('gap'), expected: pushed.expected })
      if (pushed.kind !== 'applied') return reply.code(409).send(refusal(pushed.kind))
      const { applied, aside, fresh } = pushed
      for (const { seq, why } of aside)
        request.log.warn({ store: caller.store, lane: caller.lane, seq, why }, 'a fact was set aside')
      if (fresh.length > 0) void tellOthers(ctx, news, caller.store, new Set(fresh.map(({ kind }) => kind)))
      return { applied, aside: aside.map(({ seq }) => seq) } satisfies PushAnswer
    }),
  )
}

function heartbeatRoute(app: FastifyInstance, ctx: StoreContext, news: News): void {
  const { db, counts, settings } = ctx
  app.post(
    STORE_PATHS.heartbeat,
    { bodyLimit: BODY_LIMIT, config: { checksToken: true } },
    forLane(HeartbeatRequest, async (caller, { waitMs, ...said }, request, reply) => {
      const hints = news.listen(caller.store, said.kinds ?? null)
      try {
        const noted = await noteHeartbeat(ctx, caller, said)
        if (noted.kind !== 'heard') return reply.code(noted.kind === 'token' ? 401 : 409).send(refusal(noted.kind))
        const { kind: _, unproven, hasUnread: __, ...heard } = noted
        if (unproven > 0) {
          counts.dropped('unproven-streams', unproven)
          const { store, lane } = caller
          request.log.warn({ store, lane, unproven }, 'a lane named streams that the database does not have')
        }
        const differing = Object.keys(heard.registers ?? {})
        if (differing.length > 0) {
          counts.registersDiffered(differing.length)
          const { store, lane } = caller
          request.log.warn({ store, lane, kinds: differing }, 'registers of a lane differ from those of the store')
        }
        let { heads } = heard
        const isNewer = isNews(heads, said.vector) || (heard.holds !== undefined && heard.holds !== said.holds)
        if (waitMs > 0 && differing.length === 0 && !isNewer) {
          const gone = new AbortController()
          reply.raw.once('close', () => gone.abort())
          counts.reading(1)
          const isTold = await hints.wait(Math.min(waitMs, LONGEST_WAIT_MS), gone.signal)
          counts.reading(-1)
          // A hint that was missed: the lane finds the news with its next heartbeat, which follows at once.
          if (isTold) heads = (await headsFor(db, caller, said)).heads
        }
        return {
          ...heard,
          serverTime: timeOf(ctx),
          heads,
          metrics: isScraped(settings.folder),
        } satisfies HeartbeatAnswer
      } finally {
        hints.end()
      }
    }),
  )
}

function countPush(
  counts: StoreCounts,
  pushed: Exclude<Pushed, { kind: 'token' }> | null,
  facts: readonly Fact[],
): void {
  if (pushed?.kind !== 'applied') return counts.pushRefused(pushed?.kind ?? BUSY)
  const setAside = new Set(pushed.aside.map(({ seq }) => seq))
  const kindsOf = (some: readonly Fact[]): string[] => some.map(({ kind }) => kind)
  counts.pushed({
    fresh: kindsOf(pushed.fresh),
    aside: kindsOf(pushed.fresh.filter(({ seq }) => setAside.has(seq))),
    repeated: facts.length - pushed.fresh.length,
  })
}

/** A hint for the other servers of this database too: whoever misses it looks by itself a little later. */
async function tellOthers(
  { db, log }: StoreContext,
  news: News,
  store: string,
  kinds: ReadonlySet<string>,
): Promise<void> {
  news.told({ store, kinds })
  await db.query('SELECT pg_notify($1, $2)', [CHANNEL, notice(store, kinds)]).catch((error: unknown) => {
    log.warn({ err: error }, 'the other servers were not told of news')
  })
}
