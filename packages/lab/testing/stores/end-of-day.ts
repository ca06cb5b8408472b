import { setTimeout as pause } from 'node:timers/promises'
import { EarlierSales, UnprintedDocuments, type UnprintedDocument } from '../../../../contracts/day/search.ts'
import { QueueSummary } from '../../../../contracts/operations/diagnostics.ts'
import { CurrentShift } from '../../../../contracts/day/shifts.ts'
import { StoreState } from '../../../../contracts/store/status.ts'
import type { Cashier } from './cashier.ts'
import type { Lane } from './lane.ts'

const LOOK_MS = 100

type AtLane = Pick<Lane, 'id' | 'till'>

async function until<State>(
  what: string,
  read: () => Promise<State>,
  holds: (state: State) => boolean,
  withinMs: number,
): Promise<void> {
  let state = await read()
  for (const from = Date.now(); !holds(state); state = await read()) {
    if (Date.now() > from + withinMs) throw new Error(`${what} after ${withinMs} ms: ${JSON.stringify(state)}`)
    await pause(LOOK_MS)
  }
}

export async function whenIdle({ id, till }: AtLane, withinMs: number): Promise<void> {
  const queue = async () => QueueSummary.parse((await till.call('GET', '/api/queue/summary')).body)
  await until(`lane ${id} still sends`, queue, ({ waiting, sending }) => waiting === 0 && sending === 0, withinMs)
  const store = async () => StoreState.parse((await till.call('GET', '/api/store')).body)
  const isPushed = ({ kind, untold }: StoreState): boolean => kind === 'none' || (kind === 'connected' && untold === 0)
  await until(`lane ${id} still has facts to push`, store, isPushed, withinMs)
}

export async function printUnprinted({ id, till }: AtLane, { command }: Cashier, withinMs: number): Promise<void> {
  const isBegun = ({ receipt }: { readonly receipt: string }): boolean => receipt === 'printing'
  const unprinted = async () => [
    ...EarlierSales.parse((await till.call('GET', '/api/sales/earlier?filter=not-on-paper&limit=50')).body).sales.map(
      ({ id: saleId, state, receipt }) => ({
        path: state === 'returned' ? `/api/returns/${saleId}/reprint` : `/api/sales/${saleId}/reprint`,
        receipt,
      }),
    ),
    ...UnprintedDocuments.parse((await till.call('GET', '/api/receipts/owed')).body).documents.map((document) => ({
      path: reprintOf(document),
      receipt: document.receipt,
    })),
  ]
  for (const from = Date.now(); Date.now() < from + withinMs; await pause(LOOK_MS)) {
    const all = await unprinted()
    if (all.length === 0) return
    for (const { path, receipt } of all) if (!isBegun({ receipt })) await command(path, {})
  }
  throw new Error(`lane ${id} has unprinted documents: ${JSON.stringify(await unprinted())}`)
}

function reprintOf({ paper, id, name }: UnprintedDocument): string {
  switch (paper) {
    case 'return':
      return `/api/returns/${id}/reprint`
    case 'store-credit':
    case 'gift-card':
      return `/api/vouchers/${id}/reprint`
    case 'cash-movement':
      return `/api/cash-movements/${id}/reprint`
    case 'shift':
      return `/api/shifts/${name}/reprint`
    case 'z-report':
      return `/api/z-reports/${name}/reprint`
    case 'closing':
      return `/api/closings/${name}/reprint`
  }
}

export async function closeDay({ till }: AtLane, { command }: Cashier): Promise<void> {
  const count = { cash: { by: 'sum', cents: 10_000 }, cardSlipsCents: null, chequesCents: null }
  const { shift, counted } = CurrentShift.parse((await till.call('GET', '/api/shifts/current')).body)
  for (const { id, state } of [...counted, ...(shift ? [shift] : [])]) {
    if (state === 'open') await command(`/api/shifts/${id}/counts`, { number: 1, count })
    await command(`/api/shifts/${id}/close`, { reason: 'counted so', leftCents: 10_000 })
  }
  await command('/api/z-reports', {})
}
