import { EnrolmentDone, EnrolmentOrder, EnrolmentStatus } from '../../../contracts/api/enrolment.ts'
import type { Routes } from '../../http/app.ts'
import type { Enrolment } from './service.ts'

const tags = ['enrolment']

/** The enrolment of this lane, before anybody can sign in at it. */
export const enrolmentRoutes =
  (enrolment: Enrolment): Routes =>
  (app) => {
    app.get(
      '/api/enrolment',
      {
        schema: { tags, summary: 'How far the enrolment of this lane is', response: { 200: EnrolmentStatus } },
        config: { access: 'window' },
      },
      () => enrolment.status(),
    )
    app.post(
      '/api/enrolment',
      {
        schema: {
          tags,
          summary: 'Exchange a one-time code for the client secret and the first PINs of this lane',
          body: EnrolmentOrder,
          response: { 200: EnrolmentDone },
        },
        // It waits for the service, and asked for again it is done once: the code is.
        config: { access: 'window', command: 'awaited' },
      },
      (request) => enrolment.enrolHere(request.body),
    )
  }
