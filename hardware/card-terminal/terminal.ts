import type { CardMover } from '../../contracts/payments/card-terminal.ts'
import type { Device } from '../device.ts'

export type * from '../../contracts/payments/card-terminal.ts'

export interface CardTerminal extends Device, CardMover {}
