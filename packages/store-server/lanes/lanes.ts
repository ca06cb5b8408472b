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
import { createGate, createFactNotices, notice, readNotice } from './fact-notices.ts'
import type { StoreCounts } from '../metrics/counts.ts'
import { forLane } from './caller.ts'
import { type Pushed, openSession, headsFor, noteHeartbeat, pullFacts, pushFacts } from './lanes.sql.ts'

const BODY_LIMIT = 4 * 1024 * 1024
const CHANNEL = 'milepost_facts'
/**
 * Limits of concurrent and queued pushes, in total and per lane; further pushes get 503. A lane sends one push at a
 * time, plus a retry after a lost answer.
 */
const PUSHES = { atOnce: 8, waiting: 64, ofOne: 2 } as const
const RETRY_SECONDS = 1

type FactNotice = ReturnType<typeof createFactNotices>

export const LANES_TABLES = readMigrations('lanes')

export function laneRoutes(app: FastifyInstance, ctx: StoreContext): void {
  const notices = createFactNotices()
  const listening = ctx.db.listen(CHANNEL, (payload) => notices.publish(payload === null ? null : readNotice(payload)))
  app.addHook('onClose', async () => {
    notices.publish(null)
    await listening.close()
  })
  helloRoute(app, ctx)
  pushRoute(app, ctx, notices)
  heartbeatRoute(app, ctx, notices)
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

const hasNewer = (heads: Vector, vector: Vector): boolean =>
  Object.entries(heads).some(([stream, seq]) => seq > (vector[stream] ?? 0))

function helloRoute(app: FastifyInstance, ctx: StoreContext): void {
  const { counts, settings } = ctx
  const { sealKey, authority } = settings
  app.post(
    STORE_PATHS.hello,
    { bodyLimit: BODY_LIMIT },
    forLane(HelloRequest, async (caller, body, _request, reply) => {
      const opened = await openSession(ctx, caller, body)
      if (opened.kind !== 'applied') {
        if (opened.kind === 'other-history') counts.pushRefused(opened.kind)
        return reply.code(409).send(refusal(opened.kind))
      }
      const { applied, isBehind, session } = opened
      // Count this as a refused push: the lane itself also detects that it is behind, and pushes nothing.
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

function pushRoute(app: FastifyInstance, ctx: StoreContext, notices: FactNotice): void {
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
      const { applied, quarantined, fresh } = pushed
      for (const { seq, why } of quarantined)
        request.log.warn({ store: caller.store, lane: caller.lane, seq, why }, 'a fact was quarantined')
      if (fresh.length > 0) void notifyOthers(ctx, notices, caller.store, new Set(fresh.map(({ kind }) => kind)))
      return { applied, aside: quarantined.map(({ seq }) => seq) } satisfies PushAnswer
    }),
  )
}

function heartbeatRoute(app: FastifyInstance, ctx: StoreContext, notices: FactNotice): void {
  const { db, counts, settings } = ctx
  app.post(
    STORE_PATHS.heartbeat,
    { bodyLimit: BODY_LIMIT, config: { checksToken: true } },
    forLane(HeartbeatRequest, async (caller, { waitMs, ...beat }, request, reply) => {
      const hints = notices.listen(caller.store, beat.kinds ?? null)
      try {
        const noted = await noteHeartbeat(ctx, caller, beat)
        if (noted.kind !== 'noted') return reply.code(noted.kind === 'token' ? 401 : 409).send(refusal(noted.kind))
        const { kind: _, unproven, hasUnread: __, ...answer } = noted
        if (unproven > 0) {
          counts.dropped('unproven-streams', unproven)
          const { store, lane } = caller
          request.log.warn({ store, lane, unproven }, 'a lane named streams unknown to this database')
        }
        const differing = Object.keys(answer.registers ?? {})
        if (differing.length > 0) {
          counts.registersDiffered(differing.length)
          const { store, lane } = caller
          request.log.warn({ store, lane, kinds: differing }, 'registers of a lane differ from those of the store')
        }
        let { heads } = answer
        const isNewer = hasNewer(heads, beat.vector) || (answer.holds !== undefined && answer.holds !== beat.holds)
        if (waitMs > 0 && differing.length === 0 && !isNewer) {
          const disconnected = new AbortController()
          reply.raw.once('close', () => disconnected.abort())
          counts.reading(1)
          const isWoken = await hints.wait(Math.min(waitMs, LONGEST_WAIT_MS), disconnected.signal)
          counts.reading(-1)
          // If the notification was lost, the lane gets the facts with its next heartbeat.
          if (isWoken) heads = (await headsFor(db, caller, beat)).heads
        }
        return {
          ...answer,
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
  const quarantined = new Set(pushed.quarantined.map(({ seq }) => seq))
  const kindsOf = (some: readonly Fact[]): string[] => some.map(({ kind }) => kind)
  counts.pushed({
    fresh: kindsOf(pushed.fresh),
    quarantined: kindsOf(pushed.fresh.filter(({ seq }) => quarantined.has(seq))),
    repeated: facts.length - pushed.fresh.length,
  })
}

/**
 * Wakes the waiting requests of this server and notifies the other servers of the database. A lost notification does no
 * harm: waiting requests time out and read again.
 */
async function notifyOthers(
  { db, log }: StoreContext,
  notices: FactNotice,
  store: string,
  kinds: ReadonlySet<string>,
): Promise<void> {
  notices.publish({ store, kinds })
  await db.query('SELECT pg_notify($1, $2)', [CHANNEL, notice(store, kinds)]).catch((error: unknown) => {
    log.warn({ err: error }, 'other servers were not notified of new facts')
  })
}
