import type { SameKeys } from '../same-keys.ts'
import type english from '../en-CA/screens-of-store.ts'
import audit from './screens/audit.ts'
import catalog from './screens/catalog.ts'
import queue from './screens/queue.ts'
import dayEnd from './screens/day-end.ts'
import roster from './screens/roster.ts'
import settings from './screens/settings.ts'
import connection from './screens/connection.ts'

export default {
  ...audit,
  ...catalog,
  ...queue,
  ...dayEnd,
  ...roster,
  ...settings,
  ...connection,
} as const satisfies SameKeys<typeof english>
