import { holdsCardNumber } from '../../../contracts/card-numbers.ts'
import { ProblemError } from '../../http/problem.ts'

/** Notes stand in the open on the disk: no card number may get there by a slip. */
export function refuseNumbers(note: string): void {
  if (holdsCardNumber(note)) throw new ProblemError('note-holds-number')
}
