import { createInterface } from 'node:readline'
import { NO_POSTGRES, findPostgres, startPostgres } from '../db/start-postgres.ts'

/**
 * A PostgreSQL of its own, for tests that end it as a power cut would: says in one line where it is, then answers each
 * line of standard input (`kill`, `restart`) with one line. Ends with standard input. What it commits is on the disk,
 * as in a store; `--no-fsync` for tests that lose nothing by it.
 */
const say = (line: unknown): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

async function run(): Promise<void> {
  const cluster = await startPostgres({ fsync: !process.argv.includes('--no-fsync') })
  say({ url: cluster.url('postgres'), folder: cluster.folder })
  for await (const line of createInterface({ input: process.stdin })) {
    const done = line === 'kill' ? cluster.kill() : line === 'restart' ? cluster.restart() : null
    say(
      await done?.then(
        () => ({ done: line }),
        (error: unknown) => ({ error: String(error) }),
      ),
    )
  }
  await cluster.stop()
}

if (findPostgres() === null) say({ missing: NO_POSTGRES })
else await run()
