import type { FastifyInstance } from 'fastify'
import {
  ListReservedReturns,
  ReserveReturn,
  FindReceipts,
  OneReceipt,
  RECEIPT_PATHS,
  ReleaseRequest,
  CompleteStreams,
  UnrecordedRequest,
  type ReserveReturnAnswer,
} from '../../../contracts/store/receipts.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import { forLane } from '../lanes/caller.ts'
import {
  reserveReturn,
  reservedReturns,
  findReceipts,
  lanesAwaited,
  readReceipt,
  releaseReservation,
  completeStreams,
  unrecordedCents,
} from './receipts.sql.ts'

export const RECEIPTS_TABLES = readMigrations('receipts')

export function receiptRoutes(app: FastifyInstance, { db }: StoreContext): void {
  app.post(
    RECEIPT_PATHS.find,
    forLane(FindReceipts, async (caller, { q, limit }) => ({ receipts: await findReceipts(db, caller, q, limit) })),
  )
  app.post(
    RECEIPT_PATHS.one,
    forLane(OneReceipt, async (caller, { id }) => ({
      receipt: await readReceipt(db, caller, id),
      awaitedLanes: await lanesAwaited(db, caller),
    })),
  )
  app.post(
    RECEIPT_PATHS.reserve,
    forLane(ReserveReturn, (caller, asked): Promise<ReserveReturnAnswer> => reserveReturn(db, caller, asked)),
  )
  app.post(
    RECEIPT_PATHS.release,
    forLane(ReleaseRequest, async (caller, asked) => ({ released: await releaseReservation(db, caller, asked) })),
  )
  app.post(
    RECEIPT_PATHS.reserved,
    forLane(ListReservedReturns, async (caller) => ({ claims: await reservedReturns(db, caller) })),
  )
  app.post(
    RECEIPT_PATHS.complete,
    forLane(CompleteStreams, async (caller, { streams }) => {
      await completeStreams(db, caller, streams)
      return {}
    }),
  )
  app.post(
    RECEIPT_PATHS.unrecorded,
    forLane(UnrecordedRequest, async (caller, { cashierId, from }) => ({
      totalCents: await unrecordedCents(db, caller, cashierId, from),
    })),
  )
}
