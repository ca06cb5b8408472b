import type { FastifyInstance } from 'fastify'
import { HeldSaleFact } from '../../../contracts/store/facts.ts'
import {
  AskClaimed,
  ClaimHold,
  HOLD_PATHS,
  ListHolds,
  OfferHold,
  SettleHolds,
  type HoldList,
} from '../../../contracts/store/holds.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import { refusal } from '../http/server.ts'
import { forLane } from '../lanes/caller.ts'
import type { Projection } from '../lanes/projection.ts'
import { createHoldsRepository, markResumed } from './holds.sql.ts'

export const HOLDS_TABLES = readMigrations('holds', new URL('./postgres/', import.meta.url))

/** A sale with a great many lines. */
const BODY_LIMIT = 2 * 1024 * 1024

/** Sales on hold: what each lane gives to the store, and who resumes it. */
export function holdRoutes(app: FastifyInstance, { db }: StoreContext): void {
  const repository = createHoldsRepository(db)
  app.post(
    HOLD_PATHS.offer,
    { bodyLimit: BODY_LIMIT },
    forLane(OfferHold, async (caller, offered) => ({
      kind: (await repository.offer(caller, offered)) ? 'kept' : 'later',
    })),
  )
  app.post(
    HOLD_PATHS.settle,
    forLane(SettleHolds, async (caller, settled) => {
      await repository.settle(caller, settled)
      return { kind: 'settled' }
    }),
  )
  app.post(
    HOLD_PATHS.list,
    forLane(ListHolds, (caller, { known }): Promise<HoldList> => repository.list(caller, known)),
  )
  app.post(
    HOLD_PATHS.claim,
    forLane(ClaimHold, async (caller, asked, _request, reply) => {
      const answer = await repository.claim(caller, asked)
      if (answer.kind !== 'awaiting') return answer
      return reply.code(409).send({ ...refusal('not-settled'), awaitedLanes: answer.lanes })
    }),
  )
  app.post(
    HOLD_PATHS.claimed,
    forLane(AskClaimed, async (caller) => ({ claims: await repository.claimed(caller) })),
  )
}

/** The lane that claimed a held sale tells that it is a sale of its own now. */
export const HOLDS_PROJECTION: Projection = {
  kinds: ['held-sale'],
  async apply(tx, facts, of) {
    for (const { body, subject, at } of facts) {
      const { sale, resumedAs } = HeldSaleFact.parse(body)
      await markResumed(tx, of, subject, { sale, resumedAs, at })
    }
  },
}
