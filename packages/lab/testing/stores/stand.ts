import { createInterface } from 'node:readline'
import { readCommandLine } from '../../../../contracts/core/command-line.ts'
import { openStore } from './store.ts'
import { WIRE_FAULTS, type OnTheWire } from './wire.ts'

/**
 * A store for who measures it: `node stand.ts --lanes 2 --alone 1 [--screens FOLDER]`. Says in one line where its parts
 * are, then takes on each line of standard input what becomes of every call from then on (`pass`, `slow`, `refuse`, …),
 * and says so. Ends with standard input.
 */
const say = (line: unknown): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
const isWeather = (line: string): line is OnTheWire => line === 'pass' || WIRE_FAULTS.some((fault) => fault === line)

async function run(lanes: number, alone: number, screens: string | null): Promise<void> {
  let weather: OnTheWire = 'pass'
  const store = await openStore({ lanes, alone, fsync: true, screens }, { next: () => weather })
  if (typeof store === 'string') return say({ missing: store })
  const { server, wire, cluster, shop } = store
  say({
    server: server.url,
    wire: wire.url,
    ca: server.certificate,
    database: cluster.url,
    store: shop.storeId,
    pids: { server: server.pid, lanes: store.lanes.map(({ pid }) => pid) },
    lanes: store.lanes.map(({ id, token, key, paper, till }) => ({ id, token, key, paper, ...till.session() })),
  })
  for await (const line of createInterface({ input: process.stdin })) {
    if (isWeather(line)) weather = line
    wire.heal()
    say({ weather })
  }
  await store.close()
}

const { values } = readCommandLine(process.argv.slice(2), {
  texts: 'screens',
  numbers: { lanes: [0, 99], alone: [0, 99] },
})
await run(values.lanes ?? 2, values.alone ?? 1, values.screens ?? null)
