import { expect, test } from 'vitest'
import { INCOMPLETE, search, spinMissing } from './lease-model.fixture.ts'

/** The model of the leases has thirty million states, which take a minute on an idle machine. */
const TIMEOUT_MS = 600_000

test(
  'in the model of leases, no lane overspends when the database is restored from a backup',
  { timeout: TIMEOUT_MS },
  ({ skip }) => {
    skip(spinMissing !== null, spinMissing ?? '')
    const { errors, report } = search(['RESTORE'], 'HC4')
    expect(errors, report).toBe(0)
    expect(report).not.toMatch(INCOMPLETE)
  },
)

test.for(['NO_LEASE', 'FREE_AT_EXPIRY', 'NO_RUN', 'NO_JUMP', 'NO_RECHECK'])(
  'in the faulty variant %s of the lease model, the search finds an error',
  { timeout: TIMEOUT_MS },
  (variant, { skip }) => {
    skip(spinMissing !== null, spinMissing ?? '')
    expect(search([variant]).errors).toBe(1)
  },
)
