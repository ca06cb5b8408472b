import { existsSync } from 'node:fs'
import { app } from 'electron'
import { settleProxy } from '../packages/delivery/outgoing.ts'
import { startOf } from '../packages/delivery/updates/program-files.ts'
import { proxyOfLane, type LaneProfileOptions } from '../packages/supervisor/lane-profile.ts'
import { ownSlots, untilOwnTurn, type OwnSlots } from '../packages/supervisor/own-slots.ts'
import { UNDER_ANOTHER } from '../packages/supervisor/run-trial.ts'
import { UPDATE_EXIT_CODE } from '../packages/supervisor/supervise.ts'

type Lane = Pick<LaneProfileOptions, 'dataFolder' | 'trustFile' | 'profile'>

/** Null where the shell is no installed package, or its lane believes no keys: it gives way to no other version. */
function slotsOf(code: string, { dataFolder, trustFile }: Lane): OwnSlots | null {
  if (!app.isPackaged || trustFile === undefined || !existsSync(trustFile)) return null
  return ownSlots(code, { dataFolder, trustFile, now: () => new Date() })
}

/**
 * In an installed package another version may have its turn first, before anything of this one is open: its exit code,
 * or null when this one goes on.
 */
export async function othersTurn(code: string, lane: Lane): Promise<number | null> {
  const slots = slotsOf(code, lane)
  if (slots === null) return null
  await settleProxy(proxyOfLane(lane))
  return untilOwnTurn({
    ...slots,
    dataFolder: lane.dataFolder,
    args: process.argv.slice(1),
    askedToEnd: new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve)
    }),
    news: {
      tries: (version) => console.log(`Milepost ${version} is tried.`),
      failed: (version, why) => console.log(`Milepost ${version} did not start: ${why}.`),
      wentBack: (version) => console.log(`Milepost ${version} did not start in three tries: back to the one before.`),
      notNoted: (why) => console.log(`The program’s folder cannot be written to, so nothing new is tried: ${why}`),
    },
  })
}

/** Another version is due: when this one has ended, the good slot's starts. One that is watched leaves it to that. */
export function startAgainFor(exitCode: number, code: string, lane: Lane): boolean {
  const slots = exitCode === UPDATE_EXIT_CODE ? slotsOf(code, lane)?.slots : undefined
  if (slots === undefined) return false
  if (process.env[UNDER_ANOTHER] !== '1')
    app.relaunch({
      execPath: startOf(slots.folderOf(slots.state().good), slots.platform).file,
      args: process.argv.slice(1),
    })
  return true
}
