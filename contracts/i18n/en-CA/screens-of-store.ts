import enrolment from './screens/enrolment.ts'
import audit from './screens/audit.ts'
import catalog from './screens/catalog.ts'
import overview from './screens/overview.ts'
import queue from './screens/queue.ts'
import dayEnd from './screens/day-end.ts'
import roster from './screens/roster.ts'
import settings from './screens/settings.ts'
import connection from './screens/connection.ts'
import laneCheck from './screens/lane-check.ts'
import reports from './screens/reports.ts'
import storeOverview from './screens/store-overview.ts'
import backups from './screens/backups.ts'
import terminalPage from './screens/terminal-page.ts'
import support from './screens/support.ts'
import updates from './screens/updates.ts'
import offersManager from './screens/offers-manager.ts'
import offersPanel from './screens/offers-panel.ts'
import historyPanel from './screens/history-panel.ts'
import returnScreen from './screens/return-screen.ts'
import trainingPanel from './screens/training-panel.ts'

/** What is loaded behind the sale says: the manager’s pages, and all offers. Nothing elsewhere may use these words. */
export default {
  ...enrolment,
  ...audit,
  ...catalog,
  ...overview,
  ...queue,
  ...dayEnd,
  ...roster,
  ...settings,
  ...connection,
  ...laneCheck,
  ...reports,
  ...storeOverview,
  ...backups,
  ...terminalPage,
  ...support,
  ...updates,
  ...offersManager,
  ...offersPanel,
  ...historyPanel,
  ...returnScreen,
  ...trainingPanel,
} as const
