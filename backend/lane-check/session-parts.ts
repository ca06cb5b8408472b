import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { LaneFinding } from '../../contracts/api/lane-check.ts'
import { configFolderOf, findAutostart } from '../../delivery/autostart/on-machine.ts'
import { finding } from './finding.ts'
import type { ReadLane } from './lane.ts'
import { output } from './machine-parts.ts'

/** What shows the screens. */
export function checkWindow({ window }: Pick<ReadLane, 'window'>): LaneFinding[] {
  const electron = process.versions['electron']
  if (electron !== undefined) return [finding('window-electron', { version: electron })]
  switch (window.kind) {
    case 'here':
      return [finding('window-here')]
    case 'browser':
      return [window.name === null ? finding('window-none') : finding('window-browser', { name: window.name })]
    case 'unasked':
      return [finding('window-unseen')]
  }
}

/** Linux keeps a folder for each connector of a graphics card. */
const CONNECTORS = '/sys/class/drm'

/** How many displays are connected: a second one is the customers'. */
export function checkDisplay(connectors = CONNECTORS): LaneFinding[] {
  if (!existsSync(connectors)) return [finding('display-unseen')]
  const states = readdirSync(connectors)
    .map((name) => join(connectors, name, 'status'))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8').trim())
  if (states.length === 0) return [finding('display-unseen')]
  const count = states.filter((state) => state === 'connected').length
  if (count === 0) return [finding('display-none')]
  return [count === 1 ? finding('display-one') : finding('display-several', { count })]
}

/** Whether the lane starts with the session of its user. Else the remedy names it: without a number it is the first. */
export function checkAutostart({ environment, home, dataFolder, laneId, read }: ReadLane): LaneFinding[] {
  if (process.platform !== 'linux') return [finding('autostart-unseen')]
  const found = findAutostart(configFolderOf(environment, home))
  const ours = found.filter((one) => one.dataFolder === null || resolve(one.dataFolder) === resolve(dataFolder))
  const on = ours.find(({ enabled }) => enabled)
  const lane = (read.kind === 'good' ? read.lane?.id : null) ?? laneId ?? '…'
  if (on && on.program !== null && !existsSync(on.program))
    return [finding('autostart-no-program', { file: on.file, program: on.program, lane })]
  if (on) return [finding(on.kind === 'unit' ? 'autostart-unit' : 'autostart-entry', { file: on.file })]
  const [off] = ours
  if (off) return [finding('autostart-off', { file: off.file, lane })]
  const [other] = found
  return [other ? finding('autostart-other-folder', { file: other.file, lane }) : finding('autostart-none', { lane })]
}

interface PowerPlaces {
  readonly units: string
  readonly states: string
}
const POWER: PowerPlaces = { units: '/etc/systemd/system', states: '/sys/power/state' }
const SLEEPS = ['sleep.target', 'suspend.target']
/** What the desktop does when nobody has touched anything for a while. */
const IDLE_KEY = ['get', 'org.gnome.settings-daemon.plugins.power', 'sleep-inactive-ac-type']

/** Whether the computer may fall asleep under the lane. */
export async function checkPower(signal: AbortSignal, places = POWER): Promise<LaneFinding[]> {
  if (process.platform !== 'linux') return [finding('power-unseen')]
  const cannot = existsSync(places.states) && readFileSync(places.states, 'utf8').trim() === ''
  if (cannot || SLEEPS.every((unit) => isMasked(join(places.units, unit)))) return [finding('power-awake')]
  const idle = await output('gsettings', IDLE_KEY, signal)
  if (idle === null || idle === '') return [finding('power-unseen')]
  return [finding(idle === "'nothing'" ? 'power-awake' : 'power-sleeps')]
}

function isMasked(unit: string): boolean {
  try {
    return readlinkSync(unit) === '/dev/null'
  } catch {
    return false
  }
}
