import type english from '../../../contracts/i18n/en-CA/launcher.ts'
import {
  type Command,
  laneOf,
  programFile,
  readOptions,
  runBackendProgram,
  startInSlots,
  withProfile,
} from './program.ts'
import path from 'node:path'
import { packageFolderOf } from '../profile-outline.ts'
import { TerminalRefused } from '../terminal-refused.ts'
import { runAutostartSubcommand, thisMachine } from './autostart.ts'
import { identityOf, laneProfile, proxyOfLane, refuseOtherOwner, bundleStoreOf } from '../lane-profile.ts'
import { listsIn, runMetricsSubcommand, runBundleSubcommand } from './bundle-subcommands.ts'
import { bundleTranslator, updateTranslator } from './translators.ts'
import { findBrowser } from './browser.ts'
import { setProxy } from '../../delivery/outgoing.ts'
import { ownSlots } from '../own-slots.ts'
import { needsKeyStore, runTerminal, untilStopRequested } from './run-terminal.ts'
import { browserWindow, noWindow } from './open-window.ts'
import { runUpdateSubcommand } from './update-subcommands.ts'

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
  const code = runAutostartSubcommand(
    {
      action: given.words[0],
      named: given.values.lane !== undefined || given.values.data !== undefined,
      kind: given.values.entry ? 'entry' : 'unit',
      start: {
        argv: [
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
    program.translate,
  )
  if (code === null) throw new TerminalRefused(`${program.translate('wrongWords')}\n${program.translate('seeHelp')}`, 2)
  return code
}

/**
 * `bundle`: runs `put FILE`, `cancel NUMBER`, `undo` or `list`, also while the terminal runs. The package determines
 * the lane and the trusted keys.
 */
export const bundle: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data trust' }, [1, 2])
  const lane = laneOf(program, given.values)
  refuseOtherOwner(lane)
  const bundleStore = bundleStoreOf(lane.dataFolder, lane.trustFile)
  const [action, file] = given.words
  const translate = bundleTranslator(program.locale)
  // A lane that missed a bundle with a key change gets the installer’s lists of trusted keys here.
  const { trust: place } = given.values
  const newer = place === undefined ? [] : listsIn(path.resolve(place), translate)
  const code =
    bundleStore &&
    runBundleSubcommand(bundleStore, { action, file, identity: () => identityOf(lane), put: { newer } }, translate)
  if (code === null) throw new TerminalRefused(`${program.translate('wrongWords')}\n${program.translate('seeHelp')}`, 2)
  return code
}

/** Checks the whole lane, running or not. Exit codes: 0, 1 for warnings, 2 for errors. */
export const doctor: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data', flags: 'json' })
  const { lane, dataFolder, bundleFile, trustFile } = laneOf(program, given.values)
  return runBackendProgram(program, 'operations/restore/doctor.js', [
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

const PROMPT = '-'

/**
 * `enrol`: exchanges the code of the lane’s enrolment sheet for the lane’s secret and first PINs, while the terminal is
 * stopped. Asks for a missing code, because a code on the command line is visible in the shell’s history and in the
 * process list.
 */
export const enrol: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data service certificate' }, [0, 1])
  const lane = laneOf(program, given.values)
  const [code = PROMPT] = given.words
  const { service, certificate } = given.values
  // The code is passed in the environment, so that it is not in the process list a second time.
  if (code !== PROMPT) process.env['MILEPOST_PROVISION_VALUE'] = code
  return withProfile(lane, program, (profile) =>
    runBackendProgram(program, 'operations/provision.js', [
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

export const metrics: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data' }, [1, 1])
  const code = runMetricsSubcommand(laneOf(program, given.values).dataFolder, given.words[0], program.translate)
  if (code === null) throw new TerminalRefused(`${program.translate('wrongWords')}\n${program.translate('seeHelp')}`, 2)
  return code
}

export const restore: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data' }, [1, 1])
  const lane = laneOf(program, given.values)
  refuseOtherOwner(lane)
  const [backup = ''] = given.words
  return runBackendProgram(program, 'operations/provision.js', [
    'restore',
    '--data',
    lane.dataFolder,
    '--from',
    path.resolve(backup),
  ])
}

export const setPin: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data' }, [1, 1])
  const lane = laneOf(program, given.values)
  const [staff = ''] = given.words
  return withProfile(lane, program, (profile) =>
    runBackendProgram(program, 'operations/provision.js', [
      'set-pin',
      '--data',
      lane.dataFolder,
      '--profile',
      profile,
      `--staff=${staff}`,
    ]),
  )
}

const setValue =
  (command: 'set-secret' | 'set-mail-password'): Command =>
  async (args, program) => {
    const lane = laneOf(program, readOptions(args, program, { texts: 'lane data' }).values)
    refuseOtherOwner(lane)
    return runBackendProgram(program, 'operations/provision.js', [command, '--data', lane.dataFolder])
  }

export const setSecret = setValue('set-secret')
export const setMailPassword = setValue('set-mail-password')

export const start: Command = async (args, program) => {
  const given = readOptions(args, program, {
    texts: 'lane data',
    flags: 'no-window kiosk',
    numbers: { port: [0, 65_535] },
  })
  const { port = 0 } = given.values
  const lane = laneOf(program, given.values)
  if (needsKeyStore(lane)) throw new TerminalRefused([['keyAway']], 2)
  const none = noWindow(given.values['no-window'], program.translate)
  const stopRequested = untilStopRequested()
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
        none === null
          ? browserWindow(program.translate('window.packageHasNone'), program.translate)
          : { kind: 'none', why: none },
      stopRequested,
      log: program.log,
      translate: program.translate,
    })
  await setProxy(proxyOfLane(lane))
  const slots = ownSlots(program.folder, lane)
  return slots === null ? terminal() : startInSlots({ ...slots, ...lane, terminal, stopRequested, args, program })
}

export const support: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data' }, [0, 1])
  const [file] = given.words
  const out = file === undefined ? [] : ['--out', path.resolve(file)]
  return runBackendProgram(program, 'operations/support/support-file.js', [
    '--data',
    laneOf(program, given.values).dataFolder,
    ...out,
  ])
}

export const trace: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data', flags: 'json' }, [1, 1])
  const json = given.values.json ? ['--json'] : []
  const { dataFolder } = laneOf(program, given.values)
  return runBackendProgram(program, 'operations/find-trace.js', [...given.words, '--data', dataFolder, ...json])
}

export const update: Command = async (args, program) => {
  const given = readOptions(args, program, { texts: 'lane data from' }, [1, 1])
  const lane = laneOf(program, given.values)
  const translate = updateTranslator(program.locale)
  await setProxy(proxyOfLane(lane))
  const slots = ownSlots(program.folder, lane)
  if (slots === null) throw new TerminalRefused(program.translate('noPackage', { folder: program.folder }), 2)
  const { storeId: store } = lane.outline
  const [action] = given.words
  const place = { slots: slots.slots, dataFolder: lane.dataFolder, lane: { store, lane: lane.lane }, now: lane.now }
  const code = await runUpdateSubcommand({ ...place, from: given.values.from ?? null }, action, translate)
  if (code === null) throw new TerminalRefused(`${program.translate('wrongWords')}\n${program.translate('seeHelp')}`, 2)
  return code
}

export const COMMANDS: Readonly<Record<keyof typeof english.commands, Command>> = {
  start,
  bundle,
  enrol,
  'set-pin': setPin,
  'set-secret': setSecret,
  'set-mail-password': setMailPassword,
  restore,
  update,
  support,
  doctor,
  autostart,
  metrics,
  trace,
}
