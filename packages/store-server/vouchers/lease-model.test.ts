import { expect, test } from 'vitest'
import { INCOMPLETE, search, spinMissing } from './lease-model.fixture.ts'

/** A search of one model variant takes seconds on an idle machine. */
const TIMEOUT_MS = 240_000

test('in the model of leases, no lane pays more from a card than was issued', { timeout: TIMEOUT_MS }, ({ skip }) => {
  skip(spinMissing !== null, spinMissing ?? '')
  const { errors, report } = search([])
  expect(errors, report).toBe(0)
  expect(report).not.toMatch(INCOMPLETE)
})
