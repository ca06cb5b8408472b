import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LaneCredentials } from '../../../delivery/enrolment/proof.ts'
import type { FaultPlan } from './faults.ts'
import { prepareLane, programOfLanes, type Lane } from './lane.ts'
import { enrol, prepareServer, startCluster, type Cluster, type StoreServer } from './server.ts'
import { openStoreShop, type StoreShop } from './store-folder.ts'
import { startNetworkProxy, type NetworkProxy } from './network-proxy.ts'

export interface StoreOptions {
  readonly lanes: number
  readonly alone?: number
  readonly fsync: boolean
  readonly screens?: string | null
}

export interface StoreLane extends Lane, LaneCredentials {}

export interface Store {
  readonly shop: StoreShop
  readonly cluster: Cluster
  readonly server: StoreServer
  readonly wire: NetworkProxy
  readonly lanes: readonly StoreLane[]
  close(): Promise<void>
}

const CARDS_A_LANE = 8
const STARTS_AT_ONCE = 2

/** Starts a store of real processes with its lanes enrolled. Returns a reason if there is no PostgreSQL. */
export async function openStore(
  { lanes: laneCount, alone = 0, fsync, screens = null }: StoreOptions,
  plan: Pick<FaultPlan, 'next'>,
): Promise<Store | string> {
  const cluster = await startCluster({ fsync })
  if (typeof cluster === 'string') return cluster
  const root = mkdtempSync(join(tmpdir(), 'milepost-store-'))
  const shop = await openStoreShop(root, { lanes: laneCount + alone, cards: laneCount * CARDS_A_LANE })
  const server = await prepareServer(join(root, 'server'), cluster.url)
  await server.start()
  const wire = await startNetworkProxy({
    certificate: server.certificate,
    key: server.key,
    next: (token) => plan.next(token),
  })
  wire.setTarget(server.url)
  const program = programOfLanes()
  const lanes: StoreLane[] = []
  for (const id of shop.lanes) {
    const data = join(root, 'lanes', id)
    mkdirSync(data, { recursive: true })
    const credentials = await enrol(cluster, shop.storeId, id)
    const isAlone = Number(id) > laneCount
    const store = isAlone ? null : { url: wire.url, ca: server.certificate, ...credentials }
    lanes.push(Object.assign(prepareLane(shop, { id, data, program, store, screens }), credentials))
  }
  const waiting = [...lanes]
  const starting = async (): Promise<void> => {
    for (let lane = waiting.shift(); lane; lane = waiting.shift()) await lane.start()
  }
  await Promise.all(Array.from({ length: STARTS_AT_ONCE }, starting))
  return {
    shop,
    cluster,
    server,
    wire,
    lanes,
    async close() {
      await Promise.all(lanes.map((lane) => lane.stop()))
      await server.stop()
      await wire.close()
      await cluster.stop()
      await shop.close()
    },
  }
}
