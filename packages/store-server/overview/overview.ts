import {
  AskDay,
  AskLanes,
  AskQueue,
  AskReconciliation,
  AskReconciliationDay,
  AskZ,
  MakeReconciliation,
  OVERVIEW_PATHS,
  type VouchersOfStore,
} from '../../../contracts/store/overview.ts'
import { endOf } from '../certificate/files.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Postgres } from '../db/postgres.ts'
import { type Feature, refusal } from '../http/server.ts'
import { type Identify, createForLane, modeOf } from '../lanes/caller.ts'
import { NothingToReport, createStoreReconciliation } from './reconciliation.ts'
import { createOverviewRepository } from './overview.sql.ts'
import { cents } from '../../../contracts/core/money.ts'
import { createOpenDraws } from '../vouchers/vouchers.ts'

export const OVERVIEW_TABLES = readMigrations('overview', new URL('./postgres/', import.meta.url))

export interface OverviewOptions {
  readonly postgres: Postgres
  readonly identify: Identify
  /** PEM of the store's own authority; default: it has none. */
  readonly authority?: string | null
}

/** Lanes need codes for another authority, so its end is announced this long before: two years. */
const ANNOUNCED_MS = 2 * 365 * 24 * 3_600_000

/** What a lane asks in the name of a manager: of all lanes of its store, and of no other. */
export function overview({ postgres, identify, authority = null }: OverviewOptions): Feature {
  const repository = createOverviewRepository(postgres)
  const reconciliation = createStoreReconciliation(postgres)
  const forLane = createForLane(identify)
  return {
    name: 'overview',
    routes(app) {
      app.post(
        OVERVIEW_PATHS.lanes,
        forLane(AskLanes, async (caller) => ({
          lanes: await repository.lanes(caller),
          vouchers: await vouchersOf(postgres, caller.store),
          mode: await modeOf(postgres, caller.store),
          authorityEnds: authority === null ? null : nearEnd(endOf(authority)),
        })),
      )
      app.post(
        OVERVIEW_PATHS.day,
        forLane(AskDay, (caller, span) => repository.day(caller, span)),
      )
      app.post(
        OVERVIEW_PATHS.z,
        forLane(AskZ, async (caller, { stream, number }, _request, reply) => {
          const report = await repository.z(caller, stream, number)
          return report === null ? reply.code(404).send(refusal('not-found')) : { report }
        }),
      )
      app.post(
        OVERVIEW_PATHS.queue,
        forLane(AskQueue, (caller) => repository.queue(caller)),
      )
      app.post(
        OVERVIEW_PATHS.reconciliation,
        forLane(AskReconciliation, (caller, { today }) => reconciliation.days(caller, today)),
      )
      app.post(
        OVERVIEW_PATHS.reconciliationDay,
        forLane(AskReconciliationDay, (caller, { day, ...span }) => reconciliation.preview(caller, day, span)),
      )
      app.post(
        OVERVIEW_PATHS.reconciliationOriginal,
        forLane(AskReconciliationDay, async (caller, { day }, _request, reply) => {
          const original = await reconciliation.original(caller, day)
          return original ?? reply.code(404).send(refusal('not-found'))
        }),
      )
      app.post(
        OVERVIEW_PATHS.reconciliationExport,
        forLane(MakeReconciliation, async (caller, { day, by, ...span }, _request, reply) => {
          try {
            return await reconciliation.make(caller, day, span, by)
          } catch (error) {
            if (error instanceof NothingToReport) return reply.code(404).send(refusal('not-found'))
            throw error
          }
        }),
      )
    },
  }
}

const nearEnd = (end: Date): string | null => (end.getTime() - Date.now() < ANNOUNCED_MS ? end.toISOString() : null)

/** What of the gift cards and store credit of a store a manager has to look at. */
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
