import { createInterface } from 'node:readline'
import { z } from 'zod'
import { CollectorNumber } from '../../../../contracts/core/ids.ts'
import { clientCredentials } from '../../../../backend/core/central/token.ts'
import { createHttpExchange } from '../../../../backend/core/central/transport.ts'
import { openAuditUnderLoad } from './audit.ts'
import { writeOpenWork } from './open-work.ts'
import { openMinimum } from './minimum.ts'
import { redeemAndPay } from './lifecycle.ts'
import { openModelLine } from './line.ts'
import { openQueueing } from './queueing.ts'
import { openRedeeming } from './redeeming.ts'
import { openReportsUnderLoad } from './reports.ts'
import { drain, recover } from './restart.ts'
import { openTerminal } from './terminal.ts'

/**
 * Runs the journal under load for a benchmark: `node packages/lab/testing/load/main.ts FOLDER TASK`. The task is JSON.
 * Prints `{"ready":true}`; each line on standard input then runs one round and prints its result as a line of JSON.
 * Exits at the end of standard input.
 */
const Collectors = z.array(CollectorNumber).min(1)
const Task = z.discriminatedUnion('task', [
  z.object({ task: z.literal('lifecycle'), collectors: Collectors, customers: z.int().min(1) }),
  z.object({ task: z.literal('redeeming'), collectors: Collectors }),
  z.object({ task: z.literal('least'), redemptions: z.int().min(1) }),
  z.object({ task: z.literal('queueing'), collectors: Collectors }),
  z.object({
    task: z.literal('lay'),
    collectors: Collectors,
    work: z.object({ intent: z.int(), retry: z.int(), reversing: z.int(), queued: z.int(), sent: z.int() }),
  }),
  z.object({ task: z.literal('recover') }),
  z.object({ task: z.literal('audit'), entries: z.int().min(1) }),
  z.object({ task: z.literal('reports'), sales: z.int().min(1) }),
  z.object({
    task: z.literal('drain'),
    count: z.int(),
    central: z.object({ url: z.string(), tokenUrl: z.string(), clientId: z.string(), clientSecret: z.string() }),
  }),
])
type Task = z.infer<typeof Task>

const TOKEN_WITHIN_MS = 5_000

async function begin(folder: string, task: Task): Promise<{ round: () => Promise<unknown>; end: () => void }> {
  const once = (round: () => Promise<unknown>) => ({ round, end: () => undefined })
  switch (task.task) {
    case 'lifecycle': {
      const terminal = await openTerminal(folder, openModelLine(task.collectors))
      terminal.checkout.start()
      let served = 0
      const next = (): CollectorNumber[] => {
        const from = served % task.collectors.length
        served += task.customers
        return [...task.collectors, ...task.collectors].slice(from, from + task.customers)
      }
      return { round: () => redeemAndPay(terminal, next()), end: terminal.close }
    }
    case 'audit': {
      const trail = await openAuditUnderLoad(folder, task.entries)
      return { round: trail.round, end: trail.end }
    }
    case 'reports': {
      const reports = await openReportsUnderLoad(folder, task.sales)
      return { round: reports.round, end: reports.end }
    }
    case 'queueing': {
      const queueing = await openQueueing(folder, task.collectors)
      return { round: queueing.round, end: queueing.close }
    }
    case 'redeeming': {
      const redeeming = await openRedeeming(folder, task.collectors)
      return { round: redeeming.round, end: redeeming.close }
    }
    case 'least': {
      const minimum = openMinimum(folder, task.redemptions)
      return { round: async () => minimum.round(), end: minimum.close }
    }
    case 'lay':
      return once(async () => {
        await writeOpenWork(folder, task.collectors, task.work)
        return {}
      })
    case 'recover':
      return once(() => recover(folder))
    case 'drain': {
      const { url, ...provider } = task.central
      return once(() =>
        drain(
          folder,
          {
            exchange: createHttpExchange({ cash: url, issuance: url, offers: url }),
            grant: clientCredentials({ ...provider, timeoutMs: TOKEN_WITHIN_MS }),
          },
          task.count,
        ),
      )
    }
  }
}

async function run(): Promise<void> {
  const [folder = '', text = ''] = process.argv.slice(2)
  const { round, end } = await begin(folder, Task.parse(JSON.parse(text)))
  const print = (value: unknown): void => {
    process.stdout.write(`${JSON.stringify(value)}\n`)
  }
  print({ ready: true })
  for await (const _line of createInterface({ input: process.stdin })) print(await round())
  end()
}

run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exit(1)
})
