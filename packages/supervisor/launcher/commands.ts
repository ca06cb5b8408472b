import type english from '../../../contracts/i18n/en-CA/launcher.ts'
import { type Command, laneOf, programFile, readOptions, runBeside, startInSlots, withProfile } from './program.ts'
import path from 'node:path'
import { packageFolderOf } from '../profile-outline.ts'
import { TerminalRefused } from '../refused.ts'
import { orderAutostart, thisMachine } from './autostart.ts'
import { identityOf, laneProfile, proxyOfLane, refuseOtherOwner, shelfOf } from '../lane-profile.ts'
import { listsIn, orderMetrics, orderOnShelf } from './bundle-orders.ts'
import { bundleWordsOf, updateWordsOf } from './words.ts'
import { findBrowser } from './browser.ts'
import { settleProxy } from '../../delivery/outgoing.ts'
import { ownSlots } from '../own-slots.ts'
import { needsKeyStore, runTerminal, untilAskedToEnd } from './run-terminal.ts'
import { browserWindow, noWindow } from './open-window.ts'
import { orderUpdate } from './update-orders.ts'

/** `install`, `remove`, `show`: whether the lane starts with the session of its user. */
export const autostart: Command = async (args, program) => {
  const given = readOptions(
    args,
    program,
    { texts: 'lane data', flags: 'kiosk entry', numbers: { port: [0, 65_535] } },
    [1, 1],
  )
  const { port } = given.values
  const { lane, dataFolder } = laneOf(program, given.values)
  const folder = packageFolderOf(program.folder) ?? program.folder
  const code = orderAutostart(
    {
      action: given.words[0],
      named: given.values.lane !== undefined || given.values.data !== undefined,
      kind: given.values.entry ? 'entry' : 'unit',
      start: {
        // By the package's own starter: the program that it starts changes with each update.
        command: [
          path.join(folder, 'milepost'),
          'start',
          '--lane',
          lane,
          '--data',
          dataFolder,
          ...(given.values.kiosk ? ['--kiosk'] : []),
          ...(port === undefined ? [] : ['--port', String(port)]),
        ],
        workingFolder: folder,
        dataFolder,
      },
    },
    thisMachine(),
    program.say,
  )
  if (code === null) throw new TerminalRefused(`${program.say('wrongWords')}\n${program.say('seeHelp')}`, 2)
  return code
}

/**
 * `put FILE`, `cancel NUMBER`, `undo`, `list`; the terminal may be running. The package says whose lane it is and which
 * keys count.
 */
export const bundle: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data trust' }, [1, 2])
  const lane = laneOf(program, given.values)
  refuseOtherOwner(lane)
  const shelf = shelfOf(lane.dataFolder, lane.trustFile)
  const [action, file] = given.words
  const say = bundleWordsOf(program.locale)
  // A lane that missed the bundle with the news of a key learns of it from the installer's own lists.
  const { trust: place } = given.values
  const newer = place === undefined ? [] : listsIn(path.resolve(place), say)
  const code = shelf && orderOnShelf(shelf, { action, file, identity: () => identityOf(lane), put: { newer } }, say)
  if (code === null) throw new TerminalRefused(`${program.say('wrongWords')}\n${program.say('seeHelp')}`, 2)
  return code
}

/** A check of the whole lane, running or not: 0, 1 where something needs attention, 2 where something is wrong. */
export const doctor: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data', flags: 'json' })
  const { lane, dataFolder, bundleFile, trustFile } = laneOf(program, given.values)
  return runBeside(program, 'operations/restore/doctor.js', [
    '--data',
    dataFolder,
    '--lane',
    lane,
    '--trust',
    trustFile,
    ...(bundleFile === undefined ? [] : ['--bundle', bundleFile]),
    `--browser=${findBrowser()?.name ?? ''}`,
    ...(given.values.json ? ['--json'] : []),
  ])
}

/** In the place of a code, or without one. */
const ASKED = '-'

/**
 * `enrol`: the code of the lane's sheet becomes its secret and first PINs, while the terminal is stopped. It is asked
 * for; one that is given stands in the shell's history, and in the list of processes.
 */
export const enrol: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data service certificate' }, [0, 1])
  const lane = laneOf(program, given.values)
  const [code = ASKED] = given.words
  const { service, certificate } = given.values
  // A list of processes shows no second place of it.
  if (code !== ASKED) process.env['MILEPOST_PROVISION_VALUE'] = code
  return withProfile(lane, program, (profile) =>
    runBeside(program, 'operations/provision.js', [
      'enrol',
      '--data',
      lane.dataFolder,
      '--profile',
      profile,
      `--lane=${lane.lane}`,
      ...(service === undefined ? [] : [`--service=${service}`]),
      ...(certificate === undefined ? [] : [`--certificate=${certificate}`]),
    ]),
  )
}

/** `metrics on`, `off` and `status`: who may scrape the lane; the terminal may be running. */
export const metrics: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data' }, [1, 1])
  const code = orderMetrics(laneOf(program, given.values).dataFolder, given.words[0], program.say)
  if (code === null) throw new TerminalRefused(`${program.say('wrongWords')}\n${program.say('seeHelp')}`, 2)
  return code
}

/** `restore FILE`: a backup in the place of the database, while the terminal is stopped. */
export const restore: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data' }, [1, 1])
  const lane = laneOf(program, given.values)
  refuseOtherOwner(lane)
  const [backup = ''] = given.words
  return runBeside(program, 'operations/provision.js', [
    'restore',
    '--data',
    lane.dataFolder,
    '--from',
    path.resolve(backup),
  ])
}

/** `set-pin STAFF`: a first PIN, from standard input, while the terminal is stopped. */
export const setPin: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data' }, [1, 1])
  const lane = laneOf(program, given.values)
  const [staff = ''] = given.words
  return withProfile(lane, program, (profile) =>
    runBeside(program, 'operations/provision.js', [
      'set-pin',
      '--data',
      lane.dataFolder,
      '--profile',
      profile,
      `--staff=${staff}`,
    ]),
  )
}

/** The client secret, from standard input, while the terminal is stopped. */
export const setSecret: Command = async (args, program) => {
  const lane = laneOf(program, readOptions(args, program, { texts: 'lane data' }).values)
  refuseOtherOwner(lane)
  return runBeside(program, 'operations/provision.js', ['set-secret', '--data', lane.dataFolder])
}

/** The terminal of a lane, in an app window of the machine's browser or in none, until it is asked to end. */
export const start: Command = async (args, program) => {
  const given = readOptions(args, program, {
    texts: 'lane data',
    flags: 'no-window kiosk',
    numbers: { port: [0, 65_535] },
  })
  const { port = 0 } = given.values
  const lane = laneOf(program, given.values)
  if (needsKeyStore(lane)) throw new TerminalRefused([['keyAway']], 2)
  const none = noWindow(given.values['no-window'], program.say)
  const askedToEnd = untilAskedToEnd()
  const terminal = (): Promise<number> =>
    runTerminal({
      ...lane,
      profile: laneProfile(lane),
      port,
      kiosk: given.values.kiosk,
      backendMain: programFile(program, 'backend', 'main.js'),
      centralMain: programFile(program, 'central', 'main.js'),
      staticFolder: programFile(program, 'renderer'),
      window:
        none === null ? browserWindow(program.say('window.packageHasNone'), program.say) : { kind: 'none', why: none },
      askedToEnd,
      log: program.log,
      say: program.say,
    })
  await settleProxy(proxyOfLane(lane))
  const slots = ownSlots(program.folder, lane)
  return slots === null ? terminal() : startInSlots({ ...slots, ...lane, terminal, askedToEnd, args, program })
}

/** `support [FILE]`: the support file of a lane; the terminal may be running. */
export const support: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data' }, [0, 1])
  const [file] = given.words
  const out = file === undefined ? [] : ['--out', path.resolve(file)]
  return runBeside(program, 'operations/support/support-file.js', [
    '--data',
    laneOf(program, given.values).dataFolder,
    ...out,
  ])
}

/** `trace RECEIPT` or `trace TRACE`: the calls of a receipt that moved miles; the terminal may be running. */
export const trace: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data', flags: 'json' }, [1, 1])
  const json = given.values.json ? ['--json'] : []
  const { dataFolder } = laneOf(program, given.values)
  return runBeside(program, 'operations/find-trace.js', [...given.words, '--data', dataFolder, ...json])
}

/** `status`, `check`, `now`, `tonight` and `back`; the terminal may be running. */
export const update: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data from' }, [1, 1])
  const lane = laneOf(program, given.values)
  const say = updateWordsOf(program.locale)
  await settleProxy(proxyOfLane(lane))
  const slots = ownSlots(program.folder, lane)
  if (slots === null) throw new TerminalRefused(program.say('noPackage', { folder: program.folder }), 2)
  const { storeId: store } = lane.outline
  const [action] = given.words
  const place = { slots: slots.slots, dataFolder: lane.dataFolder, lane: { store, lane: lane.lane }, now: lane.now }
  const code = await orderUpdate({ ...place, from: given.values.from ?? null }, action, say)
  if (code === null) throw new TerminalRefused(`${program.say('wrongWords')}\n${program.say('seeHelp')}`, 2)
  return code
}

/** What `milepost` can be told, each with its line in `launcher.commands` of every language. */
export const COMMANDS: Readonly<Record<keyof typeof english.commands, Command>> = {
  start,
  bundle,
  enrol,
  'set-pin': setPin,
  'set-secret': setSecret,
  restore,
  update,
  support,
  doctor,
  autostart,
  metrics,
  trace,
}
