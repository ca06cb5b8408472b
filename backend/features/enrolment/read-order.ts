import type { EnrolmentOrder } from '../../../contracts/api/enrolment.ts'
import {
  parseCode,
  parseFingerprint,
  parseService,
  parseTicket,
  type EnrolmentTicket,
} from '../../../contracts/enrolment-code.ts'
import { isTicket } from '../../../contracts/enrolment-ticket.ts'
import { ProblemError } from '../../http/problem.ts'

/** What somebody typed or scanned, as what is asked for. Throws ProblemError for what nobody needs to be asked. */
export function ticketOf({
  code: typed,
  service: address = '',
  certificate: print = '',
}: EnrolmentOrder): EnrolmentTicket {
  if (isTicket(typed.trim())) {
    const ticket = parseTicket(typed.trim())
    if (ticket === null) throw new ProblemError('enrolment-code-invalid')
    return ticket
  }
  const code = parseCode(typed)
  if ('mistake' in code) throw new ProblemError('enrolment-code-invalid')
  const service = parseService(address)
  if (service === null) throw new ProblemError('enrolment-service-invalid')
  const certificate = print.trim() === '' ? null : parseFingerprint(print)
  if (print.trim() !== '' && certificate === null) throw new ProblemError('enrolment-certificate-invalid')
  return { service, code, certificate }
}
