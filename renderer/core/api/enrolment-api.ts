import { get, send } from './client.ts'
import { route } from './routes.ts'
import type { EnrolmentOrder } from '../../../contracts/operations/enrolment.ts'

/** Three tries over a network that says nothing, and the service's word that it has heard. */
const ENROL_MS = 90_000

/** The enrolment of this lane, before anybody has signed in. */
export const enrolmentApi = {
  status: () => get(route['GET /enrolment']),
  enrol: (order: EnrolmentOrder) => send(route['POST /enrolment'], { json: order, timeoutMs: ENROL_MS }),
}
