import type { CardMover } from '../../contracts/payments/card-terminal.ts'
import type { Device } from '../device.ts'

export type * from '../../contracts/payments/card-terminal.ts'

/** The terminal of a lane, whatever protocol it speaks. */
export interface CardTerminal extends Device, CardMover {}
