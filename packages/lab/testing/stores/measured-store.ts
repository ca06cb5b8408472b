import { createInterface } from 'node:readline'
import { readCommandLine } from '../../../../contracts/core/command-line.ts'
import { openStore } from './store.ts'
import { NETWORK_FAULTS, type CallFate } from './network-proxy.ts'

/**
 * A store for measurements: `node measured-store.ts --lanes 2 --alone 1 [--screens FOLDER]`. Prints one line with the
 * addresses of its components. Each line of standard input sets the network fault of all later calls (`pass`, `slow`,
 * `refuse`, …) and is confirmed. Exits at the end of standard input.
 */
const print = (line: unknown): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
const isCallFate = (line: string): line is CallFate => line === 'pass' || NETWORK_FAULTS.some((fault) => fault === line)

async function run(lanes: number, alone: number, screens: string | null): Promise<void> {
  let fate: CallFate = 'pass'
  const store = await openStore({ lanes, alone, fsync: true, screens }, { next: () => fate })
  if (typeof store === 'string') return print({ missing: store })
  const { server, wire, cluster, shop } = store
  print({
    server: server.url,
    wire: wire.url,
    ca: server.certificate,
    database: cluster.url,
    store: shop.storeId,
    pids: { server: server.pid, lanes: store.lanes.map(({ pid }) => pid) },
    lanes: store.lanes.map(({ id, token, key, paper, till }) => ({ id, token, key, paper, ...till.session() })),
  })
  for await (const line of createInterface({ input: process.stdin })) {
    if (isCallFate(line)) fate = line
    wire.closeHalfOpen()
    print({ fate })
  }
  await store.close()
}

const { values } = readCommandLine(process.argv.slice(2), {
  texts: 'screens',
  numbers: { lanes: [0, 99], alone: [0, 99] },
})
await run(values.lanes ?? 2, values.alone ?? 1, values.screens ?? null)
