import { onTestFinished } from 'vitest'
import { cents } from '../../contracts/core/money.ts'
import type { CardPayment, CardTerminal, TerminalTransaction } from './terminal.ts'
import { openVirtualCardTerminal, type VirtualCardTerminal } from '../virtual/card-terminal.ts'
import { type Recorder, recorder } from '../serial/listener.fixture.ts'
import type { SharedKey } from './crypto.ts'
import { type NexoTerminalConfig, openNexoTerminal } from './nexo-terminal.ts'

export const PARTIES = { saleId: 'LANE-1', poiId: 'V400m-123456789' }
export const KEY: SharedKey = { identifier: 'store-4711', version: 2, passphrase: 'a passphrase of the store' }
const WAITS = { transaction: 20_000, question: 20_000, inTransit: 25, health: 60_000 }

export interface Pair {
  readonly far: VirtualCardTerminal
  readonly near: CardTerminal
  readonly listener: Recorder<never>
  reopen(config?: Partial<NexoTerminalConfig>): CardTerminal
}

export async function openPair(key: SharedKey | null, config: Partial<NexoTerminalConfig> = {}): Promise<Pair> {
  const far = await openVirtualCardTerminal(PARTIES.poiId, key)
  const listener = recorder<never>()
  function reopen(other: Partial<NexoTerminalConfig> = {}): CardTerminal {
    const waits = { ...WAITS, ...other.waits }
    const opened = openNexoTerminal({ address: far.address, parties: PARTIES, key, ...other, waits }, listener)
    onTestFinished(() => opened.close())
    return opened
  }
  onTestFinished(() => far.close())
  return { far, near: reopen(config), listener, reopen }
}

export const payment = (reference: string, amount = 4_335): CardPayment => ({
  kind: 'payment',
  reference,
  amountCents: cents(amount),
  currency: 'CAD',
  saleId: 'S0001TEST',
})

export const ORIGINAL: TerminalTransaction = {
  id: 'c0ffee123456.ABCDEF0123456789',
  timestamp: '2026-11-23T10:00:00.000Z',
}
