import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { MINUTE_MS } from './demand.ts'
import { isMet, resultOf, type Result } from './figures.ts'
import { playFleet } from './play.ts'
import { plotOf } from './plot.ts'
import { OURS, POLICIES, type Policy } from './policies.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'
import { seriesOf, type Series } from './series.ts'
import { markdownOf, tableOf } from './table.ts'

const USAGE = `npm run fleet -- [options]

Plays a fleet of lanes with the terminal's own rules for when a call goes (retry, jitter, Retry-After, throttle, tokens,
pace of the queue) over a simulated clock, against a model of what the central services can take; and the same with
rules that think of one lane alone. docs/fleet.md says what is real and what is modelled.

  --lanes N        so many lanes, with a centre of their size (default 10000)
  --naive-lanes N  so many where the rules are not ours (default: as many)
  --scenario ID    one of: ${SCENARIOS.map(({ id }) => id).join(', ')} (default: all)
  --policy NAME    one of: ${POLICIES.map(({ name }) => `"${name}"`).join(', ')} (default: all)
  --seed N         the same seed plays the same (default 1)
  --json           the results as one JSON object, with what the plots show
  --markdown       the results as a table of a page
  --plots FOLDER   draws an SVG for each scenario
  --help           this text

Ends with 1 when our rules miss a limit. All of it takes the processor about half an hour; --lanes 1000 some minutes.`

const OPTIONS = {
  lanes: { type: 'string', default: '10000' },
  'naive-lanes': { type: 'string' },
  scenario: { type: 'string' },
  policy: { type: 'string' },
  seed: { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
  markdown: { type: 'boolean', default: false },
  plots: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const

interface Run {
  readonly results: readonly Result[]
  readonly series: readonly Series[]
}

function play(scenario: Scenario, policies: readonly Policy[], lanesOf: (policy: Policy) => number, seed: number): Run {
  const runs = policies.map((policy) => {
    const played = playFleet(scenario, policy, { lanes: lanesOf(policy), seed })
    console.error(`${scenario.id}, ${policy.name}: ${played.seconds.toFixed(1)} s`)
    return { result: resultOf(played), series: seriesOf(played) }
  })
  return { results: runs.map(({ result }) => result), series: runs.map(({ series }) => series) }
}

function draw(folder: string, { id, title, from, over }: Scenario, series: readonly Series[]): void {
  mkdirSync(folder, { recursive: true })
  const wrong = over > from ? ([from / MINUTE_MS, over / MINUTE_MS] as const) : null
  writeFileSync(path.join(folder, `${id}.svg`), plotOf({ title, series, wrong }))
}

function whole(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) throw new RangeError(`${name} takes a whole number, not ${text}`)
  return Number(text)
}

function chosen<Choice>(name: string, wish: string | undefined, choices: ReadonlyMap<string, Choice>): Choice[] {
  if (wish === undefined) return [...choices.values()]
  const choice = choices.get(wish)
  if (choice === undefined) throw new RangeError(`${name} is one of ${[...choices.keys()].join(', ')}, not ${wish}`)
  return [choice]
}

function run(): number {
  const { values } = parseArgs({ options: OPTIONS })
  if (values.help) {
    console.log(USAGE)
    return 0
  }
  const lanes = whole('--lanes', values.lanes)
  const naive = values['naive-lanes'] === undefined ? lanes : whole('--naive-lanes', values['naive-lanes'])
  const seed = whole('--seed', values.seed)
  const scenarios = chosen('--scenario', values.scenario, new Map(SCENARIOS.map((one) => [one.id, one])))
  const policies = chosen('--policy', values.policy, new Map(POLICIES.map((one) => [one.name, one])))
  const runs = scenarios.map((scenario) => {
    const played = play(scenario, policies, (policy) => (policy === OURS ? lanes : naive), seed)
    if (values.plots !== undefined) draw(values.plots, scenario, played.series)
    if (!values.json && !values.markdown) console.log(`${tableOf(played.results)}\n`)
    return { scenario: scenario.id, ...played }
  })
  const results = runs.flatMap((one) => one.results)
  // JSON knows no Infinity: what never came to its end.
  if (values.json) console.log(JSON.stringify(runs, (_name, value: unknown) => (value === Infinity ? 'never' : value)))
  if (values.markdown) console.log(markdownOf(results))
  const missed = results.filter(({ policy, figures }) => policy === OURS.name && !figures.every(isMet))
  if (!values.json && !values.markdown)
    console.log(
      missed.length === 0
        ? 'Our rules keep every limit.'
        : `Our rules miss a limit in: ${missed.map(({ scenario }) => scenario).join(', ')}.`,
    )
  return missed.length === 0 ? 0 : 1
}

try {
  process.exitCode = run()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
}
