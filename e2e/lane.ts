import { once } from 'node:events'
import { existsSync, rmSync } from 'node:fs'
import { copyFile, cp, mkdir, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openWindow } from '../packages/lab/rig/window.ts'
import { stringify } from 'yaml'
import type { CentralAccess } from '../packages/lab/rig/central.ts'
import { northstar, provision } from './installer.ts'
import { start, type LaneReady, type RunningProcess } from '../packages/lab/rig/process.ts'

/** One lane of a production store as an installer sets it up: profile, secret, PINs and devices on their wires. */
export interface Lane {
  readonly url: string
  /** Link that opens a window once; every start of the terminal creates a new one. */
  readonly launchUrl: string
  /** Resolves with the next link that the terminal prints when a page requests one. */
  nextLink(): Promise<string>
  readonly data: string
  readonly process: RunningProcess<LaneReady>
  kill(): Promise<void>
  /**
   * Starts the killed or stopped terminal on the same data, and on the same port if it is free, as the shell does after
   * a crash.
   */
  restart(): Promise<void>
  startAgain(): Promise<void>
  diskHolds(text: string): Promise<boolean>
  stop(): Promise<void>
}

export interface LaneWires {
  readonly cardReader: string
  readonly scanner: string
  readonly printerPort: number
  readonly lineDisplayPort?: number
  readonly scalePort?: number
  readonly cardTerminal?: object
  readonly labels?: readonly { readonly layout: string }[]
}

const PROGRAM = 'build/app/backend/main.js'
const INSTALLER = 'build/app/backend/operations/provision.js'
/** Exit code of a terminal that ended without an error and asks for a restart. */
const RESTART = 10

export const CASHIER = { id: 'alex', name: 'Alex Tremblay', pin: '3907' }
export const CAISSIERE = { id: 'marie', name: 'Marie Gagnon', pin: '5861' }
export const MANAGER = { id: 'sam', name: 'Sam Okafor', pin: '97153' }
export const GERANTE = { id: 'lise', name: 'Lise Fournier', pin: '86294' }

/**
 * Environment variable with the folder that `setPins` made once for all scenarios: hashing a PIN is slow on purpose.
 */
const PINNED = 'MILEPOST_E2E_PINNED'

/** The installer's PIN; each person changes it at the first sign-in. */
export const FIRST_PIN = '60917283'

/**
 * Makes a data folder in which each person has replaced the installer's PIN. Lanes in production mode start from a copy
 * of it; it is deleted when this process exits.
 */
export async function setPins(central: CentralAccess, wires: LaneWires): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'milepost-pins-'))
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true })
  })
  const profile = join(folder, 'store.yaml')
  await copyFile('stores/training-catalog.csv', join(folder, 'catalog.csv'))
  await writeFile(profile, stringify(profileOf(central, wires, {})))
  const data = join(folder, 'data')
  const people = [CASHIER, CAISSIERE, MANAGER, GERANTE]
  for (const { id } of people)
    await provision(['set-pin', '--data', data, '--profile', profile, '--staff', id], FIRST_PIN, INSTALLER)
  await provision(['set-secret', '--data', data], central.clientSecret, INSTALLER)
  const running = await start<LaneReady>([
    PROGRAM,
    '--profile',
    profile,
    '--data',
    data,
    '--exit-with-stdin',
    '--log-level',
    'warn',
    '--port',
    '0',
  ])
  await changeFirstPins(running.ready, people)
  await running.stop()
  // The stop of the terminal made a backup, which does not belong to the lanes that copy this folder.
  rmSync(join(data, 'backups'), { recursive: true })
  process.env[PINNED] = data
}

export async function changeFirstPins(
  { url, launchUrl }: LaneReady,
  people: readonly { readonly id: string; readonly pin: string }[],
): Promise<void> {
  const window = await openWindow(url, { launchUrl })
  for (const { id, pin } of people) await window.signIn({ id, pin: FIRST_PIN, newPin: pin })
  window.close()
}

/**
 * Whether the scenario changes its profile to training mode. A training lane cannot start on a copy of the production
 * data folder, and its profile contains its PINs.
 */
const isTraining = (change: object): boolean => 'mode' in change && change.mode === 'training'

export async function startLane(
  folder: string,
  central: CentralAccess,
  wires: LaneWires,
  limits: Record<string, number> = {},
  change: object = {},
  environment: Record<string, string> = {},
): Promise<Lane> {
  const data = join(folder, 'data')
  const profile = join(folder, 'store.yaml')
  await mkdir(folder, { recursive: true })
  await copyFile('stores/training-catalog.csv', join(folder, 'catalog.csv'))
  await writeFile(
    profile,
    stringify({
      ...profileOf(central, wires, limits),
      ...change,
      ...(isTraining(change) ? { staff: staffOf({ inProfile: true }) } : {}),
    }),
  )
  if (!isTraining(change)) {
    const pinned = process.env[PINNED]
    if (pinned === undefined) throw new Error('no PINs are set: run e2e/build.ts first')
    await cp(pinned, data, { recursive: true })
  }
  await provision(['set-secret', '--data', data], central.clientSecret, INSTALLER)

  const args = [
    PROGRAM,
    '--profile',
    profile,
    '--data',
    data,
    '--exit-with-stdin',
    '--log-level',
    'debug',
    ...(existsSync('build/renderer') ? ['--static', 'build/renderer'] : []),
  ]
  let running = await start<LaneReady>([...args, '--port', '0'], environment)
  const { url } = running.ready
  return {
    url,
    get launchUrl() {
      return running.ready.launchUrl
    },
    nextLink: async () => ((await running.next()) as LaneReady).launchUrl,
    data,
    get process() {
      return running
    },
    kill: () => running.stop('SIGKILL'),
    async restart() {
      running = await start<LaneReady>([...args, '--port', new URL(url).port, '--or-another-port'], environment)
    },
    async startAgain() {
      const { child } = running
      if (child.exitCode === null) await once(child, 'exit')
      if (child.exitCode !== RESTART) throw new Error(`the terminal ended with ${child.exitCode}:\n${running.log()}`)
      running = await start<LaneReady>([...args, '--port', new URL(url).port], environment)
    },
    async diskHolds(text) {
      const files = (await readdir(data, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
      for (const file of files) if ((await readFile(join(file.parentPath, file.name))).includes(text)) return true
      return running.log().includes(text)
    },
    stop: () => running.stop(),
  }
}

function profileOf(central: CentralAccess, wires: LaneWires, limits: Record<string, number>): object {
  return {
    ...northstar(central),
    catalog: {
      file: 'catalog.csv',
      departments: [
        { id: 'produce', name: { 'en-CA': 'Produce', 'fr-CA': 'Fruits et légumes' } },
        { id: 'bakery', name: { 'en-CA': 'Bakery', 'fr-CA': 'Boulangerie' } },
        { id: 'pets', name: { 'en-CA': 'Pets', 'fr-CA': 'Animaux' } },
      ],
    },
    store: {
      id: 'N101',
      name: 'Northstar Front Street',
      address: ['123 Front Street West', 'Toronto ON  M5J 2M2'],
      taxNumbers: ['GST/HST 123456789 RT0001'],
    },
    lanes: [
      {
        id: '01',
        deviceId: 'N101-01',
        devices: {
          cardReader: { connection: { kind: 'serial', path: wires.cardReader, baudRate: 9600 } },
          scanner: {
            connection: { kind: 'serial', path: wires.scanner, baudRate: 9600 },
            ...(wires.labels ? { embedded: wires.labels } : {}),
          },
          printer: { connection: { kind: 'tcp', host: '127.0.0.1', port: wires.printerPort } },
          ...(wires.lineDisplayPort === undefined
            ? {}
            : { lineDisplay: { connection: { kind: 'tcp', host: '127.0.0.1', port: wires.lineDisplayPort } } }),
          ...(wires.scalePort === undefined
            ? {}
            : { scale: { connection: { kind: 'tcp', host: '127.0.0.1', port: wires.scalePort } } }),
          ...(wires.cardTerminal === undefined ? {} : { cardTerminal: wires.cardTerminal }),
        },
      },
    ],
    limits,
    coupons: [
      {
        code: 'HOUSE10',
        name: { 'en-CA': 'Household week', 'fr-CA': 'Semaine maison' },
        percent: 10,
        department: 'household',
      },
    ],
    staff: staffOf({ inProfile: false }),
  }
}

const staffOf = ({ inProfile }: { readonly inProfile: boolean }): object[] =>
  [
    { ...CASHIER, role: 'cashier', locale: 'en-CA' },
    { ...CAISSIERE, role: 'cashier', locale: 'fr-CA' },
    { ...MANAGER, role: 'manager', locale: 'en-CA' },
    { ...GERANTE, role: 'manager', locale: 'fr-CA' },
  ].map(({ pin, ...person }) => (inProfile ? { ...person, trainingPin: pin } : person))
