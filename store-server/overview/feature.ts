import {
  AskDay,
  AskLanes,
  AskQueue,
  AskReconciliation,
  AskReconciliationDay,
  AskZ,
  MakeReconciliation,
  OVERVIEW_PATHS,
} from '../../contracts/store/overview.ts'
import { endOf } from '../certificate/files.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Postgres } from '../db/postgres.ts'
import { refusal, type Feature } from '../http/server.ts'
import { createForLane, type Identify } from '../lanes/for-lane.ts'
import { modeOf } from '../lanes/mode.ts'
import { createStoreReconciliation, NothingToReport } from './reconciliation.ts'
import { createOverviewRepository } from './repository.ts'
import { vouchersOf } from './vouchers.ts'

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
