import type { TrainingPhone } from '../../../contracts/api/training.ts'
import type { CollectorNumber } from '../../../contracts/ids.ts'
import type { TrainingServices } from '../../central/training-services.ts'
import { ProblemError } from '../../http/problem.ts'
import type { SaleRow } from '../sales/repository.ts'
import type { MemberSessions } from './service.ts'

export interface TrainingPhoneOptions {
  readonly sessions: Pick<MemberSessions, 'current' | 'waitingOn'>
  readonly saleOf: (id: string) => SaleRow | undefined
  readonly collectorOf: (sale: SaleRow) => CollectorNumber | null
  readonly services: Pick<TrainingServices, 'phone'>
}

/**
 * Lets the phone of the training services take up the code that waits. The phone is theirs, since they know the PINs
 * of the made-up collectors: what a lane that sells carries can sign in for nobody.
 *
 * Throws ProblemError `member-code-missing`, `training-central-away`, or `training-phone-refused` where the page took
 * neither the code nor the collector.
 */
export const createTrainingPhone =
  ({ sessions, saleOf, collectorOf, services }: TrainingPhoneOptions) =>
  async (does: TrainingPhone): Promise<void> => {
    const shown = sessions.current().session
    const waiting = shown && sessions.waitingOn(shown.saleId)
    const sale = waiting && saleOf(waiting.saleId)
    const collectorNumber = sale ? collectorOf(sale) : null
    if (!waiting || collectorNumber === null) throw new ProblemError('member-code-missing')
    const status = await services.phone({ userCode: waiting.userCode, collectorNumber, does }).catch(() => {
      throw new ProblemError('training-central-away')
    })
    if (status !== 200) throw new ProblemError('training-phone-refused')
  }
