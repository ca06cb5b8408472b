import { get, post } from './client.ts'
import type { EnrolmentStatus, EnrolmentOrder, EnrolmentDone } from '../../../contracts/operations/enrolment.ts'

/** Three tries over a network that says nothing, and the service's word that it has heard. */
const ENROL_MS = 90_000

/** The enrolment of this lane, before anybody has signed in. */
export const enrolmentApi = {
  status: () => get<EnrolmentStatus>('enrolment'),
  enrol: (order: EnrolmentOrder) => post<EnrolmentDone>('enrolment', { json: order, timeoutMs: ENROL_MS }),
}
