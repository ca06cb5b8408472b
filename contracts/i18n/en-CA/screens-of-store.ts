import audit from './screens/audit.ts'
import catalog from './screens/catalog.ts'
import queue from './screens/queue.ts'
import dayEnd from './screens/day-end.ts'
import roster from './screens/roster.ts'
import settings from './screens/settings.ts'
import connection from './screens/connection.ts'

/** What the manager’s pages say, which are loaded behind the sale. Nothing elsewhere may use these words. */
export default {
  ...audit,
  ...catalog,
  ...queue,
  ...dayEnd,
  ...roster,
  ...settings,
  ...connection,
} as const
