import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply } from 'fastify'
import PQueue from 'p-queue'
import {
  LONGEST_ONLINE_MS,
  ONLINE_PATHS,
  ONLINE_PREFIX,
  OnlineToken,
  PutOnlineReceipt,
} from '../../../contracts/store/online-receipts.ts'
import { onlineIdOf, openOnlineReceipt } from '../../delivery/online-receipt.ts'
import { BUSY } from '../calls.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Querying } from '../db/postgres.ts'
import { type Caller, forLane } from '../lanes/caller.ts'
import { refusal } from '../server.ts'
import { PAGE_HEADERS, missingPage, receiptPage } from './online-page.ts'

export const ONLINE_TABLES = readMigrations('online')

const BODY_LIMIT = 512 * 1024
const SWEEP_MS = 60_000
/** Maximum pages per IP address and minute. All customers may come from the IP address of one proxy. */
const PAGES_PER_MINUTE = 300
/** Public pages read from the database one at a time, so that the lanes keep their connections. */
const READS = 1
const MAX_WAITING = 100
const RETRY_SECONDS = 5

const PUT = `INSERT INTO online_receipt (id, store, lane, expires_at, sealed) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (id) DO NOTHING`
const ONE = 'SELECT sealed FROM online_receipt WHERE id = $1 AND expires_at > $2'
const SWEEP = 'DELETE FROM online_receipt WHERE expires_at <= $1'

/**
 * Receipts online. A lane sends them, and everyone with the URL can read one until it expires. There is no list, and
 * the URL is in no log: logs have the pattern of a route.
 */
export async function onlineReceiptRoutes(app: FastifyInstance, { db, now }: StoreContext): Promise<void> {
  const reads = new PQueue({ concurrency: READS })
  const sweep = (): Promise<unknown> => db.query(SWEEP, [now()])
  await sweep()
  const sweeper = setInterval(() => {
    sweep().catch((error: unknown) => app.log.error({ err: error }, 'expired receipts could not be deleted'))
  }, SWEEP_MS).unref()
  app.addHook('onClose', async () => clearInterval(sweeper))
  await app.register(rateLimit, { global: false })

  app.post(
    ONLINE_PATHS.put,
    { bodyLimit: BODY_LIMIT },
    forLane(PutOnlineReceipt, async (caller, receipt, _request, reply) => {
      if (receipt.expiresAt > now() + LONGEST_ONLINE_MS + SWEEP_MS) return reply.code(400).send(refusal('unreadable'))
      await put(db, caller, receipt)
      return {}
    }),
  )
  app.get<{ Params: { token: string } }>(
    `${ONLINE_PREFIX}:token`,
    { config: { rateLimit: { max: PAGES_PER_MINUTE, timeWindow: '1 minute' } } },
    async (request, reply) => {
      const token = OnlineToken.safeParse(request.params.token)
      if (!token.success) return send(reply, 404, missingPage())
      if (reads.size >= MAX_WAITING) {
        request.outcome = BUSY
        return reply.code(503).header('retry-after', RETRY_SECONDS).send(refusal(BUSY))
      }
      const sealed = await reads.add(() => read(db, onlineIdOf(token.data), now()))
      const document = sealed === null ? null : openOnlineReceipt(token.data, sealed)
      return document === null ? send(reply, 404, missingPage()) : send(reply, 200, receiptPage(document))
    },
  )
}

const send = (reply: FastifyReply, status: number, html: string): FastifyReply =>
  reply.code(status).headers(PAGE_HEADERS).send(html)

async function put(db: Querying, { store, lane }: Caller, { id, expiresAt, sealed }: PutOnlineReceipt): Promise<void> {
  await db.query(PUT, [id, store, lane, expiresAt, Buffer.from(sealed, 'base64')])
}

async function read(db: Querying, id: string, now: number): Promise<Buffer | null> {
  const { rows } = await db.query<{ sealed: Buffer }>(ONE, [id, now])
  return rows[0]?.sealed ?? null
}
