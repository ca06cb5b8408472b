import type { FastifyInstance } from 'fastify'
import { HeldSaleFact } from '../../../contracts/store/facts.ts'
import {
  ListReservedHolds,
  ReserveHold,
  HOLD_PATHS,
  ListHolds,
  OfferHold,
  HoldDecision,
  type HoldList,
} from '../../../contracts/store/holds.ts'
import type { StoreContext } from '../context.ts'
import { readMigrations } from '../db/migrate.ts'
import { refusal } from '../server.ts'
import { forLane } from '../lanes/caller.ts'
import type { Projection } from '../lanes/projection.ts'
import { reserveHold, reservedHolds, listHolds, offerHold, recordHoldDecision, markResumed } from './holds.sql.ts'

export const HOLDS_TABLES = readMigrations('holds')

const BODY_LIMIT = 2 * 1024 * 1024

export function holdRoutes(app: FastifyInstance, { db }: StoreContext): void {
  app.post(
    HOLD_PATHS.offer,
    { bodyLimit: BODY_LIMIT },
    forLane(OfferHold, async (caller, offered) => ({
      kind: (await offerHold(db, caller, offered)) ? 'kept' : 'later',
    })),
  )
  app.post(
    HOLD_PATHS.decide,
    forLane(HoldDecision, async (caller, decision) => {
      await recordHoldDecision(db, caller, decision)
      return { kind: 'settled' }
    }),
  )
  app.post(
    HOLD_PATHS.list,
    forLane(ListHolds, (caller, { known }): Promise<HoldList> => listHolds(db, caller, known)),
  )
  app.post(
    HOLD_PATHS.reserve,
    forLane(ReserveHold, async (caller, asked, _request, reply) => {
      const answer = await reserveHold(db, caller, asked)
      if (answer.kind !== 'awaiting') return answer
      return reply.code(409).send({ ...refusal('not-settled'), awaitedLanes: answer.lanes })
    }),
  )
  app.post(
    HOLD_PATHS.reserved,
    forLane(ListReservedHolds, async (caller) => ({ claims: await reservedHolds(db, caller) })),
  )
}

export const HOLDS_PROJECTION: Projection = {
  kinds: ['held-sale'],
  async apply(tx, facts, of) {
    for (const { body, subject, at } of facts) {
      const { sale, resumedAs } = HeldSaleFact.parse(body)
      await markResumed(tx, of, subject, { sale, resumedAs, at })
    }
  },
}
