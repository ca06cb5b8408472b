import { createInterface } from 'node:readline'
import { NO_POSTGRES, findPostgres, startPostgres } from '../db/start-postgres.ts'

/**
 * Program that runs a PostgreSQL for tests that kill it: prints its address in one line, then answers each line of
 * standard input (`kill`, `restart`) with one line. Ends with standard input. Commits are durable; `--no-fsync` is for
 * tests that need no durability.
 */
const print = (line: unknown): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

async function run(): Promise<void> {
  const cluster = await startPostgres({ fsync: !process.argv.includes('--no-fsync') })
  print({ url: cluster.url('postgres'), folder: cluster.folder })
  for await (const line of createInterface({ input: process.stdin })) {
    const done = line === 'kill' ? cluster.kill() : line === 'restart' ? cluster.restart() : null
    print(
      await done?.then(
        () => ({ done: line }),
        (error: unknown) => ({ error: String(error) }),
      ),
    )
  }
  await cluster.stop()
}

if (findPostgres() === null) print({ missing: NO_POSTGRES })
else await run()
