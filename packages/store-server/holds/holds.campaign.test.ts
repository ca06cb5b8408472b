import { expect, test } from 'vitest'
import { usePostgres } from '../testing/postgres.ts'
import { contend, openHolds } from './holds.fixture.ts'

const postgres = usePostgres({ fsync: false })

test('exactly one of thirty lanes resumes a held sale, in each of two hundred rounds', async ({ skip }) => {
  expect(await contend(await openHolds(await postgres.database(skip)), 200)).toBe(200)
}, 120_000)
