import { existsSync } from 'node:fs'
import { app } from 'electron'
import { setProxy } from '../packages/delivery/outgoing.ts'
import { startOf } from '../packages/delivery/updates/program-files.ts'
import { proxyOfLane, type LaneProfileOptions } from '../packages/supervisor/lane-profile.ts'
import { ownSlots, runTrials, type OwnSlots } from '../packages/supervisor/own-slots.ts'
import { SUPERVISED } from '../packages/supervisor/run-trial.ts'
import { UPDATE_EXIT_CODE } from '../packages/supervisor/supervise.ts'

type LaneOptions = Pick<LaneProfileOptions, 'dataFolder' | 'trustFile' | 'profile'>

/**
 * Program slots of the shell; null when the shell is not an installed package or its lane has no trust file: it then
 * never starts another version.
 */
function slotsOf(code: string, { dataFolder, trustFile }: LaneOptions): OwnSlots | null {
  if (!app.isPackaged || trustFile === undefined || !existsSync(trustFile)) return null
  return ownSlots(code, { dataFolder, trustFile, now: () => new Date() })
}

/**
 * Runs the version that waits for its trial, if there is one, before the shell opens anything. Returns its exit code,
 * or null to start this version.
 */
export async function runPendingVersion(code: string, lane: LaneOptions): Promise<number | null> {
  const slots = slotsOf(code, lane)
  if (slots === null) return null
  await setProxy(proxyOfLane(lane))
  return runTrials({
    ...slots,
    dataFolder: lane.dataFolder,
    args: process.argv.slice(1),
    stopRequested: new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, resolve)
    }),
    listener: {
      tries: (version) => console.log(`Trying Milepost ${version}.`),
      failed: (version, why) => console.log(`Milepost ${version} did not start: ${why}.`),
      rolledBack: (version) =>
        console.log(`Milepost ${version} did not start in three attempts. Returned to the previous version.`),
      notRecorded: (why) => console.log(`The program’s folder is not writable, so no new version is tried: ${why}`),
    },
  })
}

/**
 * Schedules the last confirmed version to start when this process has exited. A process that was started for a trial
 * schedules nothing, because the process that started it starts the next version.
 */
export function startAgainFor(exitCode: number, code: string, lane: LaneOptions): boolean {
  const slots = exitCode === UPDATE_EXIT_CODE ? slotsOf(code, lane)?.slots : undefined
  if (slots === undefined) return false
  if (process.env[SUPERVISED] !== '1')
    app.relaunch({
      execPath: startOf(slots.folderOf(slots.state().good), slots.platform).file,
      args: process.argv.slice(1),
    })
  return true
}
