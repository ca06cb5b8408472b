import type { FastifyInstance } from 'fastify'
import {
  DayRequest,
  LanesRequest,
  QueueRequest,
  ReconciliationRequest,
  ReconciliationDayRequest,
  ZRequest,
  MakeReconciliation,
  OVERVIEW_PATHS,
  type VouchersOfStore,
} from '../../../contracts/store/overview.ts'
import { endOf } from '../certificate/files.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Postgres } from '../db/postgres.ts'
import { refusal } from '../server.ts'
import { forLane, modeOf } from '../lanes/caller.ts'
import {
  EmptyReport,
  makeReconciliation,
  originalReconciliation,
  previewReconciliation,
  reconciliationDays,
} from './reconciliation.ts'
import { dayOf, lanesOf, queueOf, zOf } from './overview.sql.ts'
import { cents } from '../../../contracts/core/money.ts'
import { createOpenDraws } from '../vouchers/vouchers.ts'

export const OVERVIEW_TABLES = readMigrations('overview')

/**
 * How early the expiry of the authority is announced: two years, because every lane needs a new enrolment code for a
 * new authority.
 */
const ANNOUNCED_MS = 2 * 365 * 24 * 3_600_000

export function overviewRoutes(app: FastifyInstance, { db, settings }: StoreContext): void {
  app.post(
    OVERVIEW_PATHS.lanes,
    forLane(LanesRequest, async (caller) => ({
      lanes: await lanesOf(db, caller),
      vouchers: await vouchersOf(db, caller.store),
      mode: await modeOf(db, caller.store),
      authorityEnds: settings.authority === null ? null : nearEnd(endOf(settings.authority)),
    })),
  )
  app.post(
    OVERVIEW_PATHS.day,
    forLane(DayRequest, (caller, span) => dayOf(db, caller, span)),
  )
  app.post(
    OVERVIEW_PATHS.z,
    forLane(ZRequest, async (caller, { stream, number }, _request, reply) => {
      const report = await zOf(db, caller, stream, number)
      return report === null ? reply.code(404).send(refusal('not-found')) : { report }
    }),
  )
  app.post(
    OVERVIEW_PATHS.queue,
    forLane(QueueRequest, (caller) => queueOf(db, caller)),
  )
  app.post(
    OVERVIEW_PATHS.reconciliation,
    forLane(ReconciliationRequest, (caller, { today }) => reconciliationDays(db, caller, today)),
  )
  app.post(
    OVERVIEW_PATHS.reconciliationDay,
    forLane(ReconciliationDayRequest, (caller, { day, ...span }) => previewReconciliation(db, caller, day, span)),
  )
  app.post(
    OVERVIEW_PATHS.reconciliationOriginal,
    forLane(ReconciliationDayRequest, async (caller, { day }, _request, reply) => {
      const original = await originalReconciliation(db, caller, day)
      return original ?? reply.code(404).send(refusal('not-found'))
    }),
  )
  app.post(
    OVERVIEW_PATHS.reconciliationExport,
    forLane(MakeReconciliation, async (caller, { day, by, ...span }, _request, reply) => {
      try {
        return await makeReconciliation(db, caller, day, span, by)
      } catch (error) {
        if (error instanceof EmptyReport) return reply.code(404).send(refusal('not-found'))
        throw error
      }
    }),
  )
}

const nearEnd = (end: Date): string | null => (end.getTime() - Date.now() < ANNOUNCED_MS ? end.toISOString() : null)

export async function vouchersOf(postgres: Postgres, store: string): Promise<VouchersOfStore> {
  const { awaited, open, soldTwice } = createOpenDraws(postgres, store)
  const isoOf = (at: Date): string => at.toISOString()
  return {
    awaited: (await awaited()).map(({ lane, since, saidBy }) => ({ lane, since: isoOf(since), saidBy: [...saidBy] })),
    open: (await open()).map(({ last4, lane, amountCents, since }) => ({
      last4,
      lane,
      amountCents: cents(amountCents),
      since: isoOf(since),
    })),
    soldTwice: (await soldTwice()).map(({ last4, sold }) => ({
      last4,
      sold: sold.map(({ lane, amountCents }) => ({ lane, amountCents: cents(amountCents) })),
    })),
  }
}
