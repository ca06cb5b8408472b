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
export type StandLane = z.infer<typeof Lane>

/** A store of real processes: PostgreSQL, the server, lanes of it, the line between them, and a lane that is alone. */
export interface Stand extends z.infer<typeof Ready> {
  /** What becomes of every call between the lanes and the server from now on. */
  weather(what: 'pass' | 'slow' | 'refuse'): Promise<void>
  close(): Promise<void>
}

export interface StandOptions {
  readonly lanes: number
  /** Lanes without a store; default: none. */
  readonly alone?: number
  /** Folder of the built screens, where windows are opened. */
  readonly screens?: string
}

/** Throws where this machine has no PostgreSQL. */
export async function openStand({ lanes, alone = 0, screens }: StandOptions): Promise<Stand> {
  const shown = screens === undefined ? [] : ['--screens', screens]
  const args = ['packages/lab/testing/stores/stand.ts', '--lanes', String(lanes), '--alone', String(alone), ...shown]
  const program = await start(args)
  const missing = Missing.safeParse(program.ready)
  if (missing.success) throw new Error(missing.data.missing)
  return {
    ...Ready.parse(program.ready),
    async weather(what) {
      await program.ask(what)
    },
    close: () => program.end(),
  }
}
