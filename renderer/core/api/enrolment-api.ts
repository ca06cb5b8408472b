import { get, send } from './client.ts'
import { route } from './routes.ts'
import type { EnrolmentRequest } from '../../../contracts/operations/enrolment.ts'

/** Time limit of an enrolment: three attempts over an unresponsive network, plus the confirmation by the service. */
const ENROL_MS = 90_000

export const enrolmentApi = {
  status: () => get(route['GET /enrolment']),
  enrol: (request: EnrolmentRequest) => send(route['POST /enrolment'], { json: request, timeoutMs: ENROL_MS }),
}
