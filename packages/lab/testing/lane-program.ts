import { join } from 'node:path'
import { centralOption } from '../rig/central.ts'
import { type LaneReady, start } from '../rig/process.ts'
import type { Shop } from './crashes/crash-store.ts'
import type { ProgramFolder } from './release-back.ts'
import { openWindow, type Window } from '../rig/window.ts'

export interface LaneProgram {
  readonly window: Window
  /** Ends the backend’s process gracefully. Rejects if it exits in any other way. */
  stop(): Promise<void>
}

/** Starts a built backend on a data folder of a shop. Rejects with its output if it does not become ready. */
export async function startLane({ app }: ProgramFolder, shop: Shop, data: string): Promise<LaneProgram> {
  const place = ['--profile', shop.profile, '--data', data, ...centralOption(shop.central)]
  const args = [join(app, 'backend/main.js'), ...place, '--log-level', 'error', '--exit-with-stdin']
  const { ready, end } = await start<LaneReady>(args, { MILEPOST_CLIENT_SECRET: shop.central.clientSecret })
  const window = await openWindow(ready.url, { launchUrl: ready.launchUrl })
  return {
    window,
    stop() {
      window.close()
      return end()
    },
  }
}
