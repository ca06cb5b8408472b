import type { SameKeys } from '../same-keys.ts'
import type english from '../en-CA/initial-screens.ts'
import core from './screens/core.ts'
import staff from './screens/staff.ts'
import sales from './screens/sales.ts'
import day from './screens/day.ts'
import loyalty from './screens/loyalty.ts'
import payments from './screens/payments.ts'

export default {
  ...core,
  ...staff,
  ...sales,
  ...day,
  ...loyalty,
  ...payments,
} as const satisfies SameKeys<typeof english>
