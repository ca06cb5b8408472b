import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRng } from '../../simulation/rng.ts'
import { count } from './cashier.ts'
import type { Lane } from './lane.ts'
import type { Cluster, StoreServer } from './server.ts'
import { WIRE_FAULTS, type OnTheWire, type Wire } from './wire.ts'

/** What strikes a store, each as often as its weight says. */
const STRIKES = { lane: 5, 'lane at its start': 1, server: 3, 'frozen server': 1, database: 2, partition: 4 }
/** A process is away so long at most. */
const AWAY_MS = 3_000
const PARTED_MS = 6_000
/** One call in so many meets a fault of the wire. */
const FAULTY_ONCE_IN = 30

/** What becomes of the calls of each lane, by its token. */
export interface Weather {
  next(token: string): OnTheWire
  part(token: string, how: OnTheWire): void
  join(token: string): void
  calm(): void
}

export function createWeather(rng: SeededRng): Weather {
  const parted = new Map<string, OnTheWire>()
  let isCalm = false
  return {
    next(token) {
      const how = parted.get(token)
      if (how !== undefined) return how
      return !isCalm && rng.onceIn(FAULTY_ONCE_IN) ? rng.pick(WIRE_FAULTS) : 'pass'
    },
    part: (token, how) => void parted.set(token, how),
    join: (token) => void parted.delete(token),
    calm() {
      isCalm = true
      parted.clear()
    },
  }
}

export interface StrikingOptions {
  readonly lanes: readonly (Lane & { readonly token: string })[]
  readonly server: StoreServer
  readonly cluster: Pick<Cluster, 'kill' | 'restart'>
  readonly wire: Wire
  readonly weather: Weather
  readonly rng: SeededRng
  /** From one strike to the next, in the mean. */
  readonly everyMs: number
  readonly strikes: Map<string, number>
}

/** Kills and parts, one thing after the other, until it is told to stop; all of it runs again then. */
export async function strike(options: StrikingOptions, goesOn: () => boolean): Promise<void> {
  const { lanes, server, cluster, wire, weather, rng, everyMs, strikes } = options
  const startServer = async (): Promise<void> => {
    await server.start()
    wire.lead(server.url)
  }
  async function one(what: keyof typeof STRIKES): Promise<void> {
    const lane = rng.pick(lanes)
    switch (what) {
      case 'lane':
        await lane.kill()
        await pause(rng.below(AWAY_MS))
        return lane.start()
      case 'lane at its start': {
        await lane.kill()
        // What its start meets then is the end of it, and no fault.
        const starting = lane.start().catch(() => undefined)
        await pause(rng.below(AWAY_MS))
        await lane.kill()
        await starting
        return lane.start()
      }
      case 'server':
        await server.kill()
        await pause(rng.below(AWAY_MS))
        return startServer()
      case 'frozen server':
        process.kill(server.pid, 'SIGSTOP')
        await pause(rng.below(AWAY_MS))
        return void process.kill(server.pid, 'SIGCONT')
      case 'database':
        await cluster.kill()
        await pause(rng.below(AWAY_MS))
        return cluster.restart()
      case 'partition': {
        const away = lanes.filter(() => rng.onceIn(2))
        for (const { token } of away) weather.part(token, rng.pick(['refuse', 'half-open', 'swallow', 'slow']))
        await pause(rng.below(PARTED_MS))
        for (const { token } of away) weather.join(token)
        return wire.heal()
      }
    }
  }
  while (goesOn()) {
    await pause(rng.below(2 * everyMs))
    if (!goesOn()) break
    const what = rng.weighed(STRIKES)
    await one(what)
    count(strikes, what)
  }
  weather.calm()
  wire.heal()
}
