import { runCommand, type CommandLine } from '../../../../contracts/core/command-line.ts'
import { isMet, type Result } from './figures.ts'
import { appendRun, lastRuns, lineOf, runOf, type Run } from './history.ts'
import { writePage, writePlots } from './page.ts'
import { playFleet } from './run-scenario.ts'
import { OURS, POLICIES, type Policy } from './policies.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'
import { tableOf } from './table.ts'

const HISTORY = 'bench/fleet.jsonl'
const PAGE = 'docs/fleet.md'
const PLOTS = 'docs/images/fleet'

const USAGE = `npm run lab -- fleet [options]

Simulates a fleet of lanes with the terminal's own rules for the time of each call (retry, jitter, Retry-After,
throttle, tokens, pace of the queue) against a model of the capacity of the central services, and compares them with
rules made for a single lane. docs/fleet.md explains the model.

  --lanes N        number of lanes, with central services of that size (default 10000)
  --naive-lanes N  number of lanes with the other rules (default: the same)
  --scenario ID    one of: ${SCENARIOS.map(({ id }) => id).join(', ')} (default: all)
  --policy NAME    one of: ${POLICIES.map(({ name }) => `"${name}"`).join(', ')} (default: all)
  --seed N         the same seed gives the same run (default 1)
  --json           prints a line of JSON per run, with the data of the plots
  --keep           appends these lines to ${HISTORY} after each run
  --page           runs no simulation: writes the table of ${PAGE} and the plots of ${PLOTS} from the last stored runs
  --plots FOLDER   draws an SVG per scenario
  --help           this text

Exits with 1 if our rules miss a limit. An hour of ten thousand lanes takes half a minute of processor time, a day some
minutes.`

const COUNT = [1, 999_999_999] as const
const DECLARED = {
  texts: 'scenario policy plots',
  flags: 'json keep page',
  numbers: { lanes: COUNT, 'naive-lanes': COUNT, seed: COUNT },
} as const
type Given = CommandLine<typeof DECLARED.texts, typeof DECLARED.flags, never, keyof typeof DECLARED.numbers>

interface RunRequest {
  readonly lanesOf: (policy: Policy) => number
  readonly seed: number
  readonly isStored: boolean
}

function play(scenario: Scenario, policies: readonly Policy[], { lanesOf, seed, isStored }: RunRequest): Run[] {
  return policies.map((policy) => {
    const played = playFleet(scenario, policy, { lanes: lanesOf(policy), seed })
    const [spent, passed] = [played.cpuSeconds.toFixed(1), played.seconds.toFixed(1)]
    console.error(`${scenario.id}, ${policy.name}: ${spent} s of processor time in ${passed} s`)
    const run = runOf(played, seed, new Date())
    if (isStored) appendRun(HISTORY, run)
    return run
  })
}

function chosen<Choice>(name: string, wish: string | undefined, choices: ReadonlyMap<string, Choice>): Choice[] {
  if (wish === undefined) return [...choices.values()]
  const choice = choices.get(wish)
  if (choice === undefined)
    throw new RangeError(`${name} must be one of ${[...choices.keys()].join(', ')}, not ${wish}`)
  return [choice]
}

function page(): number {
  const runs = lastRuns(HISTORY)
  if (runs.length === 0) throw new Error(`${HISTORY} has no runs yet. Run: npm run lab -- fleet --keep`)
  writePage(PAGE, runs)
  writePlots(PLOTS, runs)
  return 0
}

const missedBy = (results: readonly Result[]): Result[] =>
  results.filter(({ policy, figures }) => policy === OURS.name && !figures.every(isMet))

function run({ values }: Given): number {
  if (values.page) return page()
  const { lanes = 10_000, seed = 1, 'naive-lanes': naive = lanes } = values
  const scenarios = chosen('--scenario', values.scenario, new Map(SCENARIOS.map((one) => [one.id, one])))
  const policies = chosen('--policy', values.policy, new Map(POLICIES.map((one) => [one.name, one])))
  const lanesOf = (policy: Policy): number => (policy === OURS ? lanes : naive)
  const runs = scenarios.flatMap((scenario) => {
    const played = play(scenario, policies, { lanesOf, seed, isStored: values.keep })
    console.log(values.json ? played.map(lineOf).join('\n') : `${tableOf(played.map(({ result }) => result))}\n`)
    return played
  })
  if (values.plots !== undefined) writePlots(values.plots, runs)
  const missed = missedBy(runs.map(({ result }) => result))
  if (!values.json)
    console.log(
      missed.length === 0
        ? 'Our rules meet every limit.'
        : `Our rules miss a limit in: ${missed.map(({ scenario }) => scenario).join(', ')}.`,
    )
  return missed.length === 0 ? 0 : 1
}

await runCommand(process, `${USAGE}\n`, DECLARED, run)
