import type { Sale } from '../../contracts/api/sales.ts'
import type { Counter } from './counter.ts'

/** A supervisor's word beside a command. */
export const SAM = { staffId: 'sam', pin: '9999' }

/** Commands on the sale as it stands, as a screen sends them. */
export function hands(counter: Counter) {
  const now = async (): Promise<Sale> => {
    const sale = await counter.current()
    if (!sale) throw new Error('no sale is open')
    return sale
  }
  const send = async (method: string, path: string, body: object): Promise<{ sale: Sale; code?: string; details?: unknown }> => {
    const { id, version } = await now()
    return (await counter.call(method, `/api/sales/${id}${path}`, { version, ...body })).body as never
  }
  return {
    now,
    send,
    discount: (off: object, line: number | null = null, more: object = {}) => send('POST', '/discounts', { line, off, reason: 'damaged', ...more }),
    price: (line: number, unitPriceCents: number | null, more: object = {}) => send('PUT', `/lines/${line}/price`, { unitPriceCents, reason: 'price-match', ...more }),
    undo: () => send('POST', '/undo', {}),
    trail: () => counter.read<{ kind: string; actor: string; detail: string }>('SELECT kind, actor_id AS actor, detail FROM audit_entry ORDER BY id').map(({ kind, actor, detail }) => ({ kind, actor, ...(JSON.parse(detail) as object) })),
  }
}

/** Amounts as the wire says them: of a hundred, and in whole dollars. */
export const percent = (share: number) => ({ kind: 'percent', ppm: share * 10_000 })
export const dollars = (amount: number) => ({ kind: 'amount', cents: amount * 100 })
