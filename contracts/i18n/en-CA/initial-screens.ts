import core from './screens/core.ts'
import staff from './screens/staff.ts'
import sales from './screens/sales.ts'
import day from './screens/day.ts'
import loyalty from './screens/loyalty.ts'
import payments from './screens/payments.ts'

/**
 * Messages that a window loads at its start: all except those in `screens-of-store.ts`, the manager’s pages and the
 * page of all offers.
 */
export default {
  ...core,
  ...staff,
  ...sales,
  ...day,
  ...loyalty,
  ...payments,
} as const
