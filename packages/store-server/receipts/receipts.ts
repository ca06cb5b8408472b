import type { FastifyInstance } from 'fastify'
import {
  AskClaimed,
  ClaimRequest,
  FindReceipts,
  OneReceipt,
  RECEIPT_PATHS,
  ReleaseRequest,
  SettledRequest,
  UnrecordedRequest,
  type ClaimAnswer,
} from '../../../contracts/store/receipts.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import { forLane } from '../lanes/caller.ts'
import {
  claimReturn,
  claimedReturns,
  findReceipts,
  lanesAwaited,
  readReceipt,
  releaseClaim,
  settleStreams,
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
    RECEIPT_PATHS.claim,
    forLane(ClaimRequest, (caller, asked): Promise<ClaimAnswer> => claimReturn(db, caller, asked)),
  )
  app.post(
    RECEIPT_PATHS.release,
    forLane(ReleaseRequest, async (caller, asked) => ({ released: await releaseClaim(db, caller, asked) })),
  )
  app.post(
    RECEIPT_PATHS.claimed,
    forLane(AskClaimed, async (caller) => ({ claims: await claimedReturns(db, caller) })),
  )
  app.post(
    RECEIPT_PATHS.settled,
    forLane(SettledRequest, async (caller, { streams }) => {
      await settleStreams(db, caller, streams)
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
