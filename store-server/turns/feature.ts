import { setTimeout as pause } from 'node:timers/promises'
import { NameTurn, TakeTurn, TURN_PATHS, type TurnAnswer, type TurnStands } from '../../contracts/store/turns.ts'
import { readMigrations } from '../db/migrate.ts'
import type { Postgres } from '../db/postgres.ts'
import type { Feature } from '../http/server.ts'
import { createForLane, type Identify } from '../lanes/for-lane.ts'
import { createTurnsRepository } from './repository.ts'

export const TURNS_TABLES = readMigrations('turns', new URL('./postgres/', import.meta.url))

/** How often a turn that is waited for is looked at: any server of this database may have given it back. */
const LOOK_MS = 25

export interface TurnsOptions {
  readonly postgres: Postgres
  readonly identify: Identify
}

/** One call in flight per collector, over the lanes of a store. */
export function turns({ postgres, identify }: TurnsOptions): Feature {
  const repository = createTurnsRepository(postgres)
  const forLane = createForLane(identify)
  return {
    name: 'turns',
    routes(app) {
      app.post(
        TURN_PATHS.take,
        forLane(TakeTurn, async (caller, asked, _request, reply): Promise<TurnAnswer> => {
          const until = performance.now() + asked.waitMs
          let isGone = false
          reply.raw.once('close', () => (isGone = true))
          for (;;) {
            const answer = await repository.take(caller, asked)
            // Nobody hears that it was given, nor waits any more.
            if (isGone) await repository.drop(caller, asked)
            if (answer.kind === 'yours' || isGone || performance.now() + LOOK_MS > until) return answer
            await pause(LOOK_MS)
          }
        }),
      )
      app.post(
        TURN_PATHS.keep,
        forLane(NameTurn, async (caller, asked) => {
          return { stands: await repository.keep(caller, asked) } satisfies TurnStands
        }),
      )
      app.post(
        TURN_PATHS.drop,
        forLane(NameTurn, async (caller, asked) => {
          return { stands: await repository.drop(caller, asked) } satisfies TurnStands
        }),
      )
    },
  }
}
