import core from './screens/core.ts'
import staff from './screens/staff.ts'
import sales from './screens/sales.ts'
import day from './screens/day.ts'
import loyalty from './screens/loyalty.ts'
import payments from './screens/payments.ts'
import store from './screens/store.ts'

/** What a window says until somebody opens the pages of the store: all that it must have at once. */
export default {
  ...core,
  ...staff,
  ...sales,
  ...day,
  ...loyalty,
  ...payments,
  ...store,
} as const
