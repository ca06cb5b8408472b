import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import {
  ClaimRequest,
  FindReceipts,
  OneReceipt,
  RECEIPT_PATHS,
  ReleaseRequest,
  SettledRequest,
  UnrecordedRequest,
  type ClaimAnswer,
} from '../../contracts/store/receipts.ts'
import { speaksWith } from '../../contracts/store/protocol.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Postgres } from '../db/postgres.ts'
import { refusal, type Feature } from '../http/server.ts'
import type { Caller } from '../lanes/caller.ts'
import { createReceiptsRepository } from './repository.ts'

export const RECEIPTS_TABLES = readMigrations('receipts', new URL('./postgres/', import.meta.url))

export interface ReceiptsOptions {
  readonly postgres: Postgres
  /** Which lane’s token the call carries; null: nobody’s. */
  readonly identify: (request: FastifyRequest) => Promise<Caller | null>
}

/** Receipts of every lane for every lane, and what may come back of them. */
export function receipts({ postgres, identify }: ReceiptsOptions): Feature {
  const repository = createReceiptsRepository(postgres)

  /** Answers `handle`, for a lane that is known and speaks a version that is spoken here. */
  const forLane =
    <Body extends { readonly protocol: number }>(
      schema: z.ZodType<Body>,
      handle: (caller: Caller, body: Body) => Promise<unknown>,
    ) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const caller = await identify(request)
      if (caller === null) return reply.code(401).send(refusal('token'))
      const read = schema.safeParse(request.body)
      if (!read.success) return reply.code(400).send(refusal('unreadable'))
      if (!speaksWith(read.data.protocol)) return reply.code(409).send(refusal('protocol'))
      return handle(caller, read.data)
    }

  return {
    name: 'receipts',
    routes(app) {
      app.post(
        RECEIPT_PATHS.find,
        forLane(FindReceipts, async (caller, { q, limit }) => ({ receipts: await repository.find(caller, q, limit) })),
      )
      app.post(
        RECEIPT_PATHS.one,
        forLane(OneReceipt, async (caller, { id }) => ({ receipt: await repository.one(caller, id) })),
      )
      app.post(
        RECEIPT_PATHS.claim,
        forLane(ClaimRequest, async (caller, asked): Promise<ClaimAnswer> => {
          return { refused: await repository.claim(caller, asked) }
        }),
      )
      app.post(
        RECEIPT_PATHS.release,
        forLane(ReleaseRequest, async (caller, asked) => ({ released: await repository.release(caller, asked) })),
      )
      app.post(
        RECEIPT_PATHS.settled,
        forLane(SettledRequest, async (caller, { streams }) => {
          await repository.settle(caller, streams)
          return {}
        }),
      )
      app.post(
        RECEIPT_PATHS.unrecorded,
        forLane(UnrecordedRequest, async (caller, { cashierId, from }) => ({
          totalCents: await repository.unrecordedCents(caller, cashierId, from),
        })),
      )
    },
  }
}
