import type { TroubleKind } from '../../../contracts/operations/diagnostics.ts'
import type { Translate } from './message-key.ts'

const FIXABLE_HERE = [
  'paper-out',
  'paper-low',
  'cover-open',
  'cutter-error',
  'too-hot',
  'printer-error',
  'printer-offline',
] as const
type FixableHere = (typeof FIXABLE_HERE)[number]
const isFixableHere = (kind: TroubleKind | undefined): kind is FixableHere => FIXABLE_HERE.some((one) => one === kind)

/**
 * Returns the remedy for a printer problem, the same as in `npm run milepost devices`; null for problems without a
 * remedy at the lane.
 */
export const printerTodo = (t: Translate, kind: TroubleKind | undefined): string | null =>
  isFixableHere(kind) ? t(`devices.todo.${kind}`) : null
