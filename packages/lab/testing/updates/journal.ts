import Sqlite from 'better-sqlite3'
import { openWindow } from '../../rig/window.ts'
import { FIRST_PIN, PIN } from '../../../delivery/testing/installed-lane.ts'

/** Records that an update must preserve: journal entries by their number with their chained hash, and closed sales. */
export interface Records {
  readonly entries: ReadonlyMap<number, string>
  readonly sales: ReadonlySet<string>
  readonly schema: number
}

export function readRecords(database: string): Records {
  const db = new Sqlite(database, { readonly: true, fileMustExist: true })
  try {
    const entries = db.prepare<[], { seq: number; hash: string }>(
      'SELECT seq, hex(hash) AS hash FROM journal_entry ORDER BY seq',
    )
    const sales = db.prepare<[], { id: string }>(
      "SELECT sale.id FROM sale JOIN operation ON sale_id = sale.id WHERE sale.state = 'completed'",
    )
    return {
      entries: new Map(entries.all().map(({ seq, hash }) => [seq, hash])),
      sales: new Set(sales.all().map(({ id }) => id)),
      schema: Number(db.pragma('user_version', { simple: true })),
    }
  } finally {
    db.close()
  }
}

/** Describes the first lost or changed record; returns null if there is no loss. */
export function firstLoss(before: Records, acknowledged: readonly string[], now: Records): string | null {
  for (const [seq, hash] of before.entries)
    if (now.entries.get(seq) !== hash) return `journal entry ${seq} is missing or changed`
  for (const id of [...before.sales, ...acknowledged]) if (!now.sales.has(id)) return `sale ${id} is missing`
  return null
}

export async function sell(link: string): Promise<string> {
  const window = await openWindow(new URL(link).origin, { launchUrl: link })
  try {
    const done = async (path: string, body: object) => {
      const { status, body: answer } = await window.call('POST', path, body)
      if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`)
      return answer
    }
    const first = await window.call('POST', '/api/sign-in', { staffId: 'omar', pin: PIN })
    // The PIN that the installer has set is valid once, so a new PIN is set at the first sign-in.
    if (first.status >= 300) await done('/api/sign-in', { staffId: 'omar', pin: FIRST_PIN, newPin: PIN })
    const { sale } = await done('/api/sales/current/lines', { sku: '1021', quantity: 1 })
    const { id, version, totals } = sale
    await done(`/api/sales/${id}/tenders`, { version, kind: 'cash', tenderedCents: totals.cashDueCents })
    return id
  } finally {
    window.close()
  }
}
