import {
  ActivateCard,
  AskGranted,
  AskStanding,
  CancelDraw,
  DrawVoucher,
  FindVoucher,
  ForgoCard,
  VOUCHER_PATHS,
} from '../../contracts/store/vouchers.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Postgres } from '../db/postgres.ts'
import type { Feature } from '../http/server.ts'
import { createForLane, type Identify } from '../lanes/for-lane.ts'
import { createActivationsRepository } from './activations.ts'
import { createVouchersRepository } from './repository.ts'

export const VOUCHERS_TABLES = readMigrations('vouchers', new URL('./postgres/', import.meta.url))

export interface VouchersOptions {
  readonly postgres: Postgres
  readonly identify: Identify
}

/** What the store holds of gift cards and store credit, for whichever lane a customer pays at. */
export function vouchers({ postgres, identify }: VouchersOptions): Feature {
  const repository = createVouchersRepository(postgres)
  const activations = createActivationsRepository(postgres)
  const forLane = createForLane(identify)
  return {
    name: 'vouchers',
    routes(app) {
      app.post(
        VOUCHER_PATHS.find,
        forLane(FindVoucher, (caller, { hash }) => repository.find(caller, hash)),
      )
      app.post(
        VOUCHER_PATHS.draw,
        forLane(DrawVoucher, (caller, draw) => repository.draw(caller, draw)),
      )
      app.post(
        VOUCHER_PATHS.cancel,
        forLane(CancelDraw, (caller, draw) => repository.cancel(caller, draw)),
      )
      app.post(
        VOUCHER_PATHS.standing,
        forLane(AskStanding, (caller) => repository.standing(caller)),
      )
      app.post(
        VOUCHER_PATHS.granted,
        forLane(AskGranted, async (caller) => ({ ids: await repository.granted(caller) })),
      )
      app.post(
        VOUCHER_PATHS.activate,
        forLane(ActivateCard, async (caller, asked) => ({ kind: await activations.activate(caller, asked) })),
      )
      app.post(
        VOUCHER_PATHS.forgo,
        forLane(ForgoCard, async (caller, asked) => {
          await activations.forgo(caller, asked)
          return {}
        }),
      )
    },
  }
}
