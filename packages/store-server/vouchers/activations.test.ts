import { expect, test } from 'vitest'
import { LANES_TABLES } from '../lanes/lanes.ts'
import { migrate } from '../db/migrate.ts'
import { openPostgres } from '../db/postgres.ts'
import { ENROLMENT_TABLES } from '../enrolment/enrolment.sql.ts'
import { createLog } from '../log.ts'
import { usePostgres } from '../testing/postgres.ts'
import { activateCard, releaseCard } from './projection.ts'
import { VOUCHERS_TABLES } from './vouchers.ts'

const postgres = usePostgres({ fsync: false })
const HASH = 'a'.repeat(64)
const of = (lane: string) => ({ store: 'STORE', lane })

test('a late release of a gift card by an earlier sale does not free the card for another sale', async ({ skip }) => {
  const database = openPostgres({ url: await postgres.database(skip), log: createLog('silent') })
  try {
    await migrate(database, [ENROLMENT_TABLES, LANES_TABLES, VOUCHERS_TABLES])
    expect(await activateCard(database, of('01'), { hash: HASH, askedAt: 1_000 })).toBe('yours')
    expect(await activateCard(database, of('01'), { hash: HASH, askedAt: 3_000 })).toBe('yours')
    await releaseCard(database, of('01'), { hash: HASH, askedAt: 2_000 })
    expect(await activateCard(database, of('02'), { hash: HASH, askedAt: 1 })).toBe('elsewhere')
    await releaseCard(database, of('01'), { hash: HASH, askedAt: 4_000 })
    expect(await activateCard(database, of('02'), { hash: HASH, askedAt: 1 }), 'each lane by its own clock').toBe(
      'yours',
    )
    // A lane with the previous program version sends no time when it releases a card.
    await releaseCard(database, of('02'), { hash: HASH })
    expect(await activateCard(database, of('01'), { hash: HASH })).toBe('yours')
    await releaseCard(database, of('01'), { hash: HASH, askedAt: 1 })
    expect(await activateCard(database, of('02'), { hash: HASH })).toBe('yours')
  } finally {
    await database.close()
  }
})
