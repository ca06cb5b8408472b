import { z } from 'zod'
import { start } from '../../packages/lab/rig/process.ts'

const Lane = z.object({
  id: z.string(),
  token: z.string(),
  key: z.object({ privateKey: z.string(), publicKey: z.string() }),
  paper: z.string(),
  url: z.url(),
  headers: z.record(z.string(), z.string()),
})
const Ready = z.object({
  server: z.url(),
  wire: z.url(),
  ca: z.string(),
  database: z.string(),
  store: z.string(),
  lanes: z.array(Lane),
})
const Missing = z.object({ missing: z.string() })
export type MeasuredLane = z.infer<typeof Lane>

/**
 * A store of real processes: PostgreSQL, the store server, lanes, the network proxy between them, and a lane without a
 * store server.
 */
export interface MeasuredStore extends z.infer<typeof Ready> {
  setNetwork(what: 'pass' | 'slow' | 'refuse'): Promise<void>
  close(): Promise<void>
}

export interface MeasuredStoreOptions {
  readonly lanes: number
  readonly alone?: number
  readonly screens?: string
}

/** Starts a store for measurements. Throws if this machine has no PostgreSQL. */
export async function openMeasuredStore({ lanes, alone = 0, screens }: MeasuredStoreOptions): Promise<MeasuredStore> {
  const shown = screens === undefined ? [] : ['--screens', screens]
  const args = [
    'packages/lab/testing/stores/measured-store.ts',
    '--lanes',
    String(lanes),
    '--alone',
    String(alone),
    ...shown,
  ]
  const program = await start(args)
  const missing = Missing.safeParse(program.ready)
  if (missing.success) throw new Error(missing.data.missing)
  return {
    ...Ready.parse(program.ready),
    async setNetwork(what) {
      await program.ask(what)
    },
    close: () => program.end(),
  }
}
