import { setTimeout as pause } from 'node:timers/promises'
import type { z } from 'zod'
import type { Sale } from '../../contracts/sales/sales.ts'
import type { Wire } from '../../e2e/pty.ts'
import type { ApiClient } from './api-client.ts'
import { now, type ClockOffset } from './clock.ts'
import type { BenchItem } from './items.ts'
import type { PaintedLine, Screen } from './screen.ts'

/** Milliseconds after which a scan whose line was not painted counts as lost. */
const SCAN_TIMEOUT_MS = 10_000
/** The pause between two scans in milliseconds; random, so that scans are not synchronous with the screen's frames. */
export const rest = (): Promise<void> => pause(20 + Math.random() * 50)
/** The bytes that a scanner sends: AIM identifier of EAN-13 (ISO/IEC 15424), barcode, carriage return. */
export const scanBytes = (barcode: string): string => `]E0${barcode}\r`

export interface MeasuredLane {
  readonly wire: Wire
  readonly client: ApiClient
  readonly screen: Screen
}

/**
 * The times of one scan. `written` and `received` are by the clock of this process, those of the line by the page’s
 * clock.
 */
export interface Scan {
  readonly written: number
  readonly received: number
  readonly line: PaintedLine
}

export async function scanItem(
  { wire, client, screen }: MeasuredLane,
  { barcode, name }: BenchItem,
): Promise<{ readonly scan: Scan; readonly sale: z.infer<typeof Sale> }> {
  const received = client.follow((event) =>
    event.type === 'sale-changed' && event.cause === 'scan' && event.sale.lines.at(-1)?.name['en-CA'] === name
      ? event.sale
      : null,
  )
  const shown = screen.line(name)
  const written = now()
  await wire.send(scanBytes(barcode))
  const [{ at, value: sale }, line] = await within(Promise.all([received, shown]), `the scan of ${barcode}`)
  return { scan: { written, received: at, line }, sale }
}

/** Returns the offset of the page’s clock during a run: the average of the comparisons before and after it. */
export function clockOver(before: ClockOffset, after: ClockOffset): ClockOffset {
  return {
    offsetMs: (before.offsetMs + after.offsetMs) / 2,
    uncertaintyMs: Math.max(before.uncertaintyMs, after.uncertaintyMs) + Math.abs(before.offsetMs - after.offsetMs) / 2,
  }
}

/**
 * Returns the milliseconds from the scanned bytes to the changed page, and to the painted line. Throws an Error if a
 * line changed before it was scanned.
 */
export function timesOf(
  scans: readonly Scan[],
  { offsetMs, uncertaintyMs }: ClockOffset,
): { readonly changed: number[]; readonly painted: number[] } {
  const painted = scans.map((scan) => scan.line.painted - offsetMs - scan.written)
  const changed = scans.map((scan) => scan.line.changed - offsetMs - scan.written)
  if (Math.min(...changed) < -uncertaintyMs)
    throw new Error('a line changed before it was scanned: the clocks cannot be trusted')
  return { changed, painted }
}

export async function within<Value>(work: Promise<Value>, what: string): Promise<Value> {
  const timer = new AbortController()
  const late = pause(SCAN_TIMEOUT_MS, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`no result of ${what} within ${SCAN_TIMEOUT_MS / 1_000} s`)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => undefined)
    timer.abort()
  }
}
