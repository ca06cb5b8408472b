import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRng } from '../../simulation/rng.ts'
import { count } from './cashier.ts'
import type { Lane } from './lane.ts'
import type { Cluster, StoreServer } from './server.ts'
import { NETWORK_FAULTS, type CallFate, type NetworkProxy } from './network-proxy.ts'

const FAULTS = { lane: 5, 'lane at its start': 1, server: 3, 'frozen server': 1, database: 2, partition: 4 }
const OUTAGE_MS = 3_000
const PARTITION_MS = 6_000
/** Average number of calls per network fault. */
const FAULTY_ONCE_IN = 30

/** Decides the network fault of each lane’s next call. A lane is known by its token. */
export interface FaultPlan {
  next(token: string): CallFate
  partition(token: string, how: CallFate): void
  rejoin(token: string): void
  stop(): void
}

export function createFaultPlan(rng: SeededRng): FaultPlan {
  const partitioned = new Map<string, CallFate>()
  let isStopped = false
  return {
    next(token) {
      const how = partitioned.get(token)
      if (how !== undefined) return how
      return !isStopped && rng.onceIn(FAULTY_ONCE_IN) ? rng.pick(NETWORK_FAULTS) : 'pass'
    },
    partition: (token, how) => void partitioned.set(token, how),
    rejoin: (token) => void partitioned.delete(token),
    stop() {
      isStopped = true
      partitioned.clear()
    },
  }
}

export interface FaultOptions {
  readonly lanes: readonly (Lane & { readonly token: string })[]
  readonly server: StoreServer
  readonly cluster: Pick<Cluster, 'kill' | 'restart'>
  readonly wire: NetworkProxy
  readonly plan: FaultPlan
  readonly rng: SeededRng
  /** Mean milliseconds between two faults. */
  readonly everyMs: number
  readonly faults: Map<string, number>
}

/** Causes one fault after another until `isRunning` returns false. All processes run again when it resolves. */
export async function causeFaults(options: FaultOptions, isRunning: () => boolean): Promise<void> {
  const { lanes, server, cluster, wire, plan, rng, everyMs, faults } = options
  const startServer = async (): Promise<void> => {
    await server.start()
    wire.setTarget(server.url)
  }
  async function one(what: keyof typeof FAULTS): Promise<void> {
    const lane = rng.pick(lanes)
    switch (what) {
      case 'lane':
        await lane.kill()
        await pause(rng.below(OUTAGE_MS))
        return lane.start()
      case 'lane at its start': {
        await lane.kill()
        // The start that the kill interrupts fails, which is no error.
        const starting = lane.start().catch(() => undefined)
        await pause(rng.below(OUTAGE_MS))
        await lane.kill()
        await starting
        return lane.start()
      }
      case 'server':
        await server.kill()
        await pause(rng.below(OUTAGE_MS))
        return startServer()
      case 'frozen server':
        process.kill(server.pid, 'SIGSTOP')
        await pause(rng.below(OUTAGE_MS))
        return void process.kill(server.pid, 'SIGCONT')
      case 'database':
        await cluster.kill()
        await pause(rng.below(OUTAGE_MS))
        return cluster.restart()
      case 'partition': {
        const unreachable = lanes.filter(() => rng.onceIn(2))
        for (const { token } of unreachable)
          plan.partition(token, rng.pick(['refuse', 'half-open', 'drop-response', 'slow']))
        await pause(rng.below(PARTITION_MS))
        for (const { token } of unreachable) plan.rejoin(token)
        return wire.closeHalfOpen()
      }
    }
  }
  while (isRunning()) {
    await pause(rng.below(2 * everyMs))
    if (!isRunning()) break
    const what = rng.weighed(FAULTS)
    await one(what)
    count(faults, what)
  }
  plan.stop()
  wire.closeHalfOpen()
}
