import type { Feature } from '../http/server.ts'

/** The enrolment of lanes. */
export const enrolment = (): Feature => ({ name: 'enrolment', routes: () => undefined })
