import type { ApprovalRequest } from '../../../contracts/sales/approvals.ts'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { TerminalHarness } from './terminal-harness.ts'

/** Credentials with which Sam, a manager, approves a command. */
export const SAM = { staffId: 'sam', pin: '9999' }
export const NINA = { id: 'nina', name: 'Nina', role: 'supervisor', locale: 'en-CA', trainingPin: '5678' } as const
const NOTHING_SHOWN = 'x'.repeat(43)
type Answer = Awaited<ReturnType<TerminalHarness['call']>>

/** Sends the command without approval; if it is refused, sends it again with an approval of exactly its effect. */
export async function approved(
  harness: Pick<TerminalHarness, 'call'>,
  method: string,
  path: string,
  body: object,
  approval: object = SAM,
): Promise<Answer> {
  const alone = await harness.call(method, path, body)
  const { approval: asked } = alone.body
  return alone.status === 200
    ? alone
    : harness.call(method, path, { ...body, approval: { covers: asked?.covers ?? NOTHING_SHOWN, ...approval } })
}

export function saleActions(harness: TerminalHarness) {
  const now = async (): Promise<Sale> => {
    const sale = await harness.current()
    if (!sale) throw new Error('no sale is open')
    return sale
  }
  const send = async (
    method: string,
    path: string,
    { approval, ...body }: { readonly approval?: object } & Record<string, unknown>,
  ): Promise<{ sale: Sale; code?: string; details?: unknown; approval?: ApprovalRequest }> => {
    const { id, version } = await now()
    const [where, command] = [`/api/sales/${id}${path}`, { version, ...body }]
    return (
      approval ? await approved(harness, method, where, command, approval) : await harness.call(method, where, command)
    ).body as never
  }
  return {
    now,
    send,
    discount: (off: object, line: number | null = null, more: object = {}) =>
      send('POST', '/discounts', { line, off, reason: 'damaged', ...more }),
    price: (line: number, unitPriceCents: number | null, more: object = {}) =>
      send('PUT', `/lines/${line}/price`, { unitPriceCents, reason: 'price-match', ...more }),
    undo: () => send('POST', '/undo', {}),
    trail: () =>
      harness
        .read<{ kind: string; actor: string; detail: string }>(
          'SELECT kind, actor_id AS actor, detail FROM audit_entry ORDER BY id',
        )
        .map(({ kind, actor, detail }) => ({ kind, actor, ...(JSON.parse(detail) as object) })),
  }
}

/** Discounts as the local API expects them; `share` in percent, `amount` in dollars. */
export const percent = (share: number) => ({ kind: 'percent', ppm: share * 10_000 })
export const dollars = (amount: number) => ({ kind: 'amount', cents: amount * 100 })
