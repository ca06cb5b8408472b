import terminalPages from './screens/terminal-pages.ts'
import type { SameKeys } from '../same-keys.ts'
import type english from '../en-CA/screens-of-store.ts'
import audit from './screens/audit.ts'
import catalog from './screens/catalog.ts'
import dayPages from './screens/day-pages.ts'
import queue from './screens/queue.ts'
import dayEnd from './screens/day-end.ts'
import staffPages from './screens/staff-pages.ts'
import operationsPages from './screens/operations-pages.ts'
import laneCheck from './screens/lane-check.ts'
import offersManager from './screens/offers-manager.ts'
import loyaltyPages from './screens/loyalty-pages.ts'
import customer from './screens/customer.ts'
import delivery from './screens/delivery.ts'
import returnsPages from './screens/returns-pages.ts'
import afterSignIn from './screens/after-sign-in.ts'

export default {
  ...terminalPages,
  ...audit,
  ...catalog,
  ...dayPages,
  ...queue,
  ...dayEnd,
  ...staffPages,
  ...operationsPages,
  ...laneCheck,
  ...offersManager,
  ...loyaltyPages,
  ...returnsPages,
  ...afterSignIn,
  ...delivery,
  ...customer,
} as const satisfies SameKeys<typeof english>
