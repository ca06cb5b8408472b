import { catalogContract } from '../catalog/catalog.routes.ts'
import { dayEndContract, earlierSalesContract, reportsContract, shiftsContract } from '../day/day.routes.ts'
import { memberContract, offersContract } from '../loyalty/loyalty.routes.ts'
import { queueContract, reconciliationContract } from '../loyalty/queue.routes.ts'
import { devicesContract } from '../operations/devices.routes.ts'
import {
  backupsContract,
  diagnosticsContract,
  enrolmentContract,
  supportContract,
  updatesContract,
} from '../operations/operations.routes.ts'
import { paymentsContract } from '../payments/payments.routes.ts'
import { salesContract } from '../sales/sales.routes.ts'
import { auditContract, settingsContract, staffContract, terminalContract } from '../staff/staff.routes.ts'
import { storeContract } from '../store/store.routes.ts'

/**
 * Routes of the lane's local API, without the event stream (GET /api/events), which never ends, and GET /metrics, which
 * windows do not call.
 */
export const LANE_ROUTES = {
  ...terminalContract,
  ...staffContract,
  ...settingsContract,
  ...auditContract,
  ...catalogContract,
  ...salesContract,
  ...memberContract,
  ...offersContract,
  ...queueContract,
  ...reconciliationContract,
  ...paymentsContract,
  ...shiftsContract,
  ...dayEndContract,
  ...earlierSalesContract,
  ...reportsContract,
  ...storeContract,
  ...devicesContract,
  ...diagnosticsContract,
  ...backupsContract,
  ...supportContract,
  ...enrolmentContract,
  ...updatesContract,
}
export type LaneRoutes = typeof LANE_ROUTES
