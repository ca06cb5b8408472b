import type { TroubleKind } from '../../../contracts/operations/diagnostics.ts'
import type { Words } from './message-key.ts'

/** What a printer says of itself that whoever stands at the lane can mend. */
const MENDED_HERE = [
  'paper-out',
  'paper-low',
  'cover-open',
  'cutter-error',
  'too-hot',
  'printer-error',
  'printer-offline',
] as const
type MendedHere = (typeof MENDED_HERE)[number]
const isMendedHere = (kind: TroubleKind | undefined): kind is MendedHere => MENDED_HERE.some((one) => one === kind)

/** What to do about a printer, as the installer's tool says it; null where it does not say what is the matter. */
export const printerTodo = (t: Words, kind: TroubleKind | undefined): string | null =>
  isMendedHere(kind) ? t(`devices.todo.${kind}`) : null
