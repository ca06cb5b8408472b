import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'

/** Waiting times in milliseconds: from a scan to its line, and from a key to the next paint. */
export interface Waited {
  readonly scans: readonly number[]
  /** Times from the browser's Event Timing, in steps of 8 ms; keys below 16 ms are not listed. */
  readonly keys: readonly number[]
}

export interface Paints {
  /** Sends a scan and resolves once the newest line of the sale shows another text. */
  scan(send: () => Promise<void>): Promise<void>
  take(): Promise<Waited>
}

/** Measures when the window paints, with the same probe as the checkout benchmark. */
export async function watchPaints(window: Page): Promise<Paints> {
  let onPainted: (at: number) => void = () => undefined
  await window.exposeFunction('milepostLinePainted', ({ painted }: { painted: number }) => {
    onPainted(painted)
  })
  await window.evaluate(readFileSync('bench/checkout/page-observer.js', 'utf8'))
  await window.evaluate('milepostBench.watchLines()')
  let scans: number[] = []
  return {
    async scan(send) {
      const painted = new Promise<number>((resolve) => {
        onPainted = resolve
      })
      const sent = performance.timeOrigin + performance.now()
      await send()
      scans.push((await painted) - sent)
    },
    async take() {
      const recorded = scans
      scans = []
      const keys = await window.evaluate<number[]>(
        'milepostBench.interactions().slow.splice(0).map(({ duration }) => duration)',
      )
      return { scans: recorded, keys }
    },
  }
}

const max = (values: readonly number[]): string => (values.length === 0 ? '–' : String(Math.round(Math.max(...values))))
const middle = (values: readonly number[]): string => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted.length === 0 ? '–' : String(Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0))
}

export const waitedText = ({ scans, keys }: Waited): string =>
  `scan to line ${middle(scans)} ms (most ${max(scans)}), keys over 16 ms: ${keys.length} (most ${max(keys)})`
