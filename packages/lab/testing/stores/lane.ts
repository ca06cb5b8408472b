import { join } from 'node:path'
import { lockDataFolder } from '../../../../backend/core/program/data-folder.ts'
import type { StorePlace } from '../../../../backend/store/channel.ts'
import { centralOption } from '../../rig/central.ts'
import { launch, type LaneReady, type LaunchedProcess } from '../../rig/process.ts'
import { writeDevice } from '../enrolled.ts'
import { programOfToday } from '../release-back.ts'
import type { StoreShop } from './store-folder.ts'
import { createTill, type Till } from './headless-window.ts'

export interface Lane {
  readonly id: string
  readonly data: string
  readonly paper: string
  readonly till: Till
  readonly pid: number
  start(): Promise<void>
  kill(): Promise<void>
  stop(): Promise<void>
}

export function programOfLanes(): string {
  return join(programOfToday().app, 'backend/main.js')
}

/** Prepares a lane without starting it, enrolled with the store server. `store` null: a lane without a store server. */
export function prepareLane(
  shop: Pick<StoreShop, 'central' | 'profile'>,
  {
    id,
    data,
    program: file,
    store,
    screens = null,
  }: {
    id: string
    data: string
    program: string
    store: StorePlace | null
    screens?: string | null
  },
): Lane {
  const folder = lockDataFolder(data, null, null)
  if (store) writeDevice(data, folder.masterKey, store)
  folder.release()
  const place = ['--profile', shop.profile, '--lane', id, '--data', data, ...centralOption(shop.central)]
  const shown = screens === null ? [] : ['--static', screens]
  const args = [file, ...place, ...shown, '--log-level', 'error', '--exit-with-stdin']
  const till = createTill()
  let program: LaunchedProcess<LaneReady> | null = null
  return {
    id,
    data,
    paper: join(data, 'paper'),
    till,
    get pid() {
      return program?.pid ?? 0
    },
    async start() {
      program = launch<LaneReady>(args, {
        MILEPOST_CLIENT_SECRET: shop.central.clientSecret,
        NODE_COMPILE_CACHE: join(data, '../../compiled'),
      })
      const { url: at, launchUrl } = await program.ready
      await till.open(at, launchUrl)
    },
    async kill() {
      till.close()
      await program?.kill()
    },
    async stop() {
      till.close()
      await program?.end()
    },
  }
}
