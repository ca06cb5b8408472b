// Runs a command of package.json: prepares its requirements (prepare.mjs), then starts it on the Node of node_modules.
// Plain JavaScript without dependencies, because it is the first program of a new clone.
import { spawn, spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { node24 } from './test-tools.mjs'

const root = path.resolve(fileURLToPath(new URL('..', import.meta.url)))

const GROUPS = {
  repo: {
    title: 'Commands of package.json.',
    commands: {
      bench: ['bench/main.ts', ['screens'], 'benchmarks'],
      build: ['scripts/build.ts', [], 'build the programs and screens of a lane'],
      check: ['scripts/check.ts', [], 'types, lint, layout, and the tests affected by changes'],
      dev: ['scripts/dev.ts', [], 'a terminal with hot reload'],
      screens: ['scripts/screens.ts', ['screens'], 'pictures of every screen'],
      setup: ['scripts/setup.mjs', [], 'install the browser and the programs for the tests'],
      start: ['scripts/start.ts', ['screens'], 'a training terminal'],
      test: ['scripts/test.ts', ['browser'], 'the daily tests'],
      'test:package': ['scripts/test-package.ts', ['tools'], 'the tests of the workspace package in this folder'],
      'test:campaigns': ['scripts/test-campaigns.ts', ['browser'], 'the long tests'],
    },
  },
  milepost: {
    title: 'Commands of an installer and of a store.',
    commands: {
      bundle: ['packages/delivery/commands/bundle.ts', [], 'make a store bundle'],
      central: ['packages/central/main.ts', [], 'the reference services'],
      devices: ['backend/operations/devices/tool/main.ts', [], 'inspect the devices of a lane'],
      enrol: ['packages/delivery/commands/enrol.ts', [], 'issue enrolment codes'],
      keys: ['packages/delivery/commands/keys.ts', [], 'signing keys of an installer'],
      lane: ['packages/delivery/commands/lane.ts', [], 'one lane: autostart, bundle, doctor, enrol, update, …'],
      package: ['packages/delivery/packaging/package.ts', [], 'packages of stores'],
      profiles: ['packages/delivery/commands/profiles.ts', [], 'check and write profiles of a chain'],
      'scan-card': ['backend/operations/devices/scan-card-main.ts', [], 'a card of barcodes for quick keys'],
      store: ['packages/store-server/main.ts', [], 'the store server'],
      'store:demo': ['packages/lab/store-demo.ts', ['screens'], 'a demo store on this machine'],
      support: ['backend/operations/support/support-file.ts', [], 'the support file of a lane'],
      updates: ['packages/delivery/commands/updates.ts', [], 'publish and control updates'],
    },
  },
  lab: {
    title: 'Long tests, simulations and checks of this repository.',
    commands: {
      access: ['scripts/access.ts', ['browser'], 'accessibility of every screen'],
      conformance: ['packages/conformance/main.ts', [], 'check central services against the specifications'],
      'conformance:fuzz': ['packages/conformance/fuzz.ts', [], 'send them broken requests'],
      'conformance:random': ['packages/conformance/random.ts', [], 'play random lanes against them'],
      crash: ['packages/lab/testing/crashes/crash-test.ts', [], 'kill backend and services during sales'],
      fleet: ['packages/lab/simulation/fleet/main.ts', [], 'simulate ten thousand lanes against the central services'],
      'fleet:updates': ['packages/lab/fleet-updates/main.ts', [], 'roll an update out to many lanes'],
      hardware: ['scripts/test-hardware.ts', ['tools'], 'devices over pseudo-terminals'],
      licences: ['scripts/licences.ts', [], 'write docs/licences.md'],
      'log-messages': ['scripts/log-messages.ts', [], 'write the list of log messages'],
      metrics: ['scripts/metrics.ts', [], 'size and structure of the sources'],
      'metrics-docs': ['scripts/metrics-docs.ts', [], 'write the tables of docs/observability.md'],
      mutants: ['packages/lab/mutants/main.ts', [], 'break the product and expect a test to fail'],
      'quick-card': ['renderer/testing/quick-card.ts', ['browser'], 'draw the quick card of a cashier'],
      receipts: ['packages/lab/receipt-pictures.ts', [], 'pictures of receipts'],
      sim: ['packages/lab/simulation/main.ts', [], 'simulate seeds against a model of the central services'],
      store: ['packages/lab/testing/stores/main.ts', [], 'a store of many lanes, with faults'],
      updates: ['packages/lab/testing/updates/kill-test.ts', ['screens'], 'kill lanes during an update'],
    },
  },
}

/** Options of the commands whose programs print no help; all other programs print their own. */
const OPTIONS = {
  access: ['OPTION…  options of Vitest'],
  build: [
    '--stale          only outputs whose sources have changed',
    '--programs       only the programs of a lane',
    '--crash-program  only the program of the crash tests',
  ],
  check: [],
  dev: [],
  hardware: [],
  licences: ['--check  only checks that docs/licences.md is up to date'],
  'log-messages': [],
  metrics: ['--json  prints JSON'],
  'metrics-docs': [],
  'quick-card': [],
  receipts: [],
  screens: ['FIXTURE…  only these screen fixtures, after the pictures of a sale'],
  setup: [],
  test: [],
  'test:package': ['FILTER…  only test files whose path contains one of these texts'],
  'test:campaigns': [
    '--all          also the campaigns of other days',
    '--after-tests  adds the counts of the preceding npm test to the summary',
  ],
}

const isHelpOption = (word) => word === '--help' || word === '-h'
const isHelp = (word) => isHelpOption(word) || word === 'help'
const typedAs = (group, name) => (group === 'repo' ? `npm run ${name}` : `npm run ${group} -- ${name}`)

const [group = '', name, ...args] = process.argv.slice(2)
if (!Object.hasOwn(GROUPS, group)) {
  console.error(`Unknown group of commands "${group}". Use one of: ${Object.keys(GROUPS).join(', ')}.`)
  process.exit(2)
}
const { title, commands } = GROUPS[group]
const found = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined
if (!found) {
  if (name !== undefined && !isHelp(name)) console.error(`Unknown command "${name}".\n`)
  const wide = Math.max(...Object.keys(commands).map((each) => each.length))
  const lines = Object.entries(commands).map(([each, [, , help]]) => `  ${each.padEnd(wide)}  ${help}`)
  console.log(`${typedAs(group, '<command>')} [options]\n\n${title}\n\n${lines.join('\n')}`)
  process.exit(name === undefined || isHelp(name) ? 0 : 2)
}

const [program, purposes, help] = found
const options = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined
const isHelpAsked = options?.length === 0 ? args.some(isHelp) : args.some(isHelpOption)
if (options !== undefined && (isHelpAsked || (options.length === 0 && args.length > 0))) {
  const known = options.length === 0 ? 'It takes no options.' : `Options:\n\n  ${options.join('\n  ')}`
  console[isHelpAsked ? 'log' : 'error'](`${typedAs(group, name)}: ${help}. ${known}`)
  process.exit(isHelpAsked ? 0 : 2)
}
const prepared = spawnSync(process.execPath, [path.join(root, 'scripts', 'prepare.mjs'), ...purposes], {
  stdio: ['inherit', 2, 2],
})
if (prepared.status !== 0) process.exit(prepared.status ?? 1)
// The fleet simulation needs a larger young generation, because it allocates short-lived objects faster than the
// default one can collect them.
const flags = group === 'lab' && name === 'fleet' ? ['--max-semi-space-size=64'] : []
const child = spawn(node24, [...flags, path.join(root, program), ...args], { stdio: 'inherit' })
// SIGTERM is passed on, because a supervising process sends it only to this process; a console sends Ctrl-C to both.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => child.kill('SIGTERM'))
child.once('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1)
  process.kill(process.pid, signal)
})
