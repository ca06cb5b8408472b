import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { KEY_HEADER } from '../../contracts/command-headers.ts'
import { now } from '../checkout/clock.ts'
import type { StandLane } from './stand.ts'

const Open = z.object({
  sale: z.object({
    id: z.string(),
    version: z.int(),
    state: z.string(),
    totals: z.object({ cashDueCents: z.int() }),
  }),
})
const PAPER_WITHIN_MS = 10_000

/** What a cashier waits for at one lane. Times in milliseconds. */
export interface Counter {
  /** A piece, from the command to its answer. */
  ring(sku: string): Promise<number>
  /** A code before the virtual scanner: resolves when it was scanned, not when it is rung. */
  scan(code: string): Promise<void>
  /** Takes over the sale that was rung by scans. */
  take(): Promise<void>
  /** Cash for the open sale, from the command to its answer, and to the receipt in the printer’s folder. */
  pay(): Promise<{ readonly id: string; readonly answered: number; readonly printed: number; readonly at: number }>
  /** Status of a question. */
  status(path: string): Promise<number>
}

export function openCounter({ url, headers, paper }: StandLane): Counter {
  let open: z.infer<typeof Open>['sale'] | null = null
  async function post(path: string, body: object): Promise<unknown> {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', [KEY_HEADER]: randomUUID() },
      body: JSON.stringify(body),
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return await answer.json()
  }
  const command = async (path: string, body: object): Promise<z.infer<typeof Open>['sale']> =>
    Open.parse(await post(path, body)).sale
  const papers = (): number => readdirSync(paper).filter((name) => name.endsWith('.txt')).length
  return {
    async ring(sku) {
      const from = now()
      open = await command('/api/sales/current/lines', { sku, quantity: 1 })
      return now() - from
    },
    async scan(code) {
      await post('/api/training/scan', { code })
    },
    async take() {
      const answer = await fetch(`${url}/api/sales/current`, { headers })
      open = Open.parse(await answer.json()).sale
    },
    async pay() {
      if (open === null) throw new Error('no sale is open')
      const { id, version, totals } = open
      const before = papers()
      const from = now()
      await command(`/api/sales/${id}/tenders`, { kind: 'cash', version, tenderedCents: totals.cashDueCents })
      const at = now()
      open = null
      while (papers() === before) {
        if (now() - from > PAPER_WITHIN_MS) throw new Error(`the receipt of ${id} did not come out`)
        await pause(1)
      }
      return { id, answered: at - from, printed: now() - from, at }
    },
    async status(path) {
      const answer = await fetch(url + path, { headers })
      await answer.arrayBuffer()
      return answer.status
    },
  }
}
