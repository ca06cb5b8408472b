import type { SameKeys } from '../same-keys.ts'
import type english from '../en-CA/screens-of-store.ts'
import audit from './screens/audit.ts'
import queue from './screens/queue.ts'
import dayEnd from './screens/day-end.ts'
import roster from './screens/roster.ts'
import connection from './screens/connection.ts'
import backups from './screens/backups.ts'

export default {
  ...audit,
  ...queue,
  ...dayEnd,
  ...roster,
  ...connection,
  ...backups,
} as const satisfies SameKeys<typeof english>
