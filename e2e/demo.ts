import { mkdtemp, chmod, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { start } from '../packages/lab/rig/process.ts'

interface DemoReady {
  readonly server: string
  readonly database: string
  readonly lanes: readonly { readonly id: string; readonly launchUrl: string }[]
  readonly pids: { readonly server: number }
}

export interface Demo {
  readonly ready: DemoReady
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>
  stop(): Promise<void>
}

const MISSING = /PostgreSQL \d+ or newer is not installed/

/** Starts the demo store; returns null where this machine has no PostgreSQL. */
export async function startDemo(lanes: number): Promise<Demo | null> {
  const folder = await mkdtemp(join(tmpdir(), 'milepost-demo-'))
  // If the tests run as root, PostgreSQL runs as another user, who must be able to enter this folder.
  await chmod(folder, 0o711)
  const data = join(folder, 'store')
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    const args = ['packages/lab/store-demo.ts', '--json', '--lanes', String(lanes), '--data', data]
    const running = await start<DemoReady>(args)
    return {
      ready: running.ready,
      async query<Row extends pg.QueryResultRow>(sql: string) {
        const client = new pg.Client(running.ready.database)
        await client.connect()
        try {
          return (await client.query<Row>(sql)).rows
        } finally {
          await client.end()
        }
      },
      async stop() {
        await running.stop()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    if (error instanceof Error && MISSING.test(error.message)) return null
    throw error
  }
}
