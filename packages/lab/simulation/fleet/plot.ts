import type { Point, Series } from './series.ts'

export interface Plot {
  readonly title: string
  readonly series: readonly Series[]
  /** First and last minute of the outage; null: there is no outage. */
  readonly wrong: readonly [number, number] | null
}

const WIDTH = 820
const LEFT = 74
const RIGHT = 16
const PANEL = 150
const GAP = 44
const TOP = 78

/**
 * Dash pattern per policy, which does not depend on colour vision. STYLE has the colours, which work on white and
 * black.
 */
const LINES = ['', '7 4', '2 3'] as const

const STYLE = `
text{font:13px system-ui,sans-serif;fill:#1f2328}.small{font-size:12px;fill:#59636e}
.axis,.grid{stroke:#59636e;fill:none}.grid{opacity:.25}.wrong{fill:#59636e;opacity:.13}
.capacity{stroke:#59636e;stroke-dasharray:1 3;fill:none}
.l0{stroke:#0969da}.l1{stroke:#bc4c00}.l2{stroke:#8250df}.line{fill:none;stroke-width:1.8;stroke-linejoin:round}
@media (prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9198a1}.axis,.grid,.capacity{stroke:#9198a1}
.wrong{fill:#9198a1}.l0{stroke:#58a6ff}.l1{stroke:#f0883e}.l2{stroke:#bc8cff}}`

interface Panel {
  readonly label: string
  readonly of: (point: Point) => number
  readonly capacity: number | null
}

export function plotOf({ title, series, wrong }: Plot): string {
  const capacity = series[0]?.capacity ?? 0
  const panels: Panel[] = [
    { label: 'offered load, calls per second', of: ({ offered }) => offered, capacity },
    { label: 'goodput, responses per second', of: ({ useful }) => useful, capacity },
    { label: 'age of the oldest call, minutes', of: ({ oldest }) => oldest, capacity: null },
  ]
  const minutes = series.flatMap(({ points }) => points.map(({ minute }) => minute))
  const [from, until] = [Math.min(...minutes), Math.max(...minutes)]
  const x = (minute: number): number => LEFT + ((minute - from) / (until - from || 1)) * (WIDTH - LEFT - RIGHT)
  const height = TOP + panels.length * (PANEL + GAP)
  const drawn = panels.map((panel, at) =>
    panelOf(panel, series, { x, from, until, wrong, top: TOP + at * (PANEL + GAP) }),
  )
  const legend = series.map(
    ({ policy }, at) =>
      `<path class="line l${at}" stroke-dasharray="${LINES[at] ?? ''}" d="M${LEFT + at * 210} 38h34"/>` +
      `<text x="${LEFT + 42 + at * 210}" y="42">${escaped(policy)}</text>`,
  )
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" ` +
    `aria-label="${escaped(title)}"><style>${STYLE}</style>` +
    `<text x="${LEFT}" y="20" font-weight="600">${escaped(title)}</text>${legend.join('')}${drawn.join('')}</svg>\n`
  )
}

interface Place {
  readonly x: (minute: number) => number
  readonly from: number
  readonly until: number
  readonly wrong: Plot['wrong']
  readonly top: number
}

function panelOf({ label, of, capacity }: Panel, series: readonly Series[], place: Place): string {
  const { x, from, until, wrong, top } = place
  const values = series.flatMap(({ points }) => points.map(of))
  // The axis ends at four times the capacity, because the peaks of naive lanes would flatten the other lines.
  const most = Math.min(Math.max(...values, capacity ?? 0, 1), capacity === null ? Infinity : capacity * 4)
  const ticks = ticksOf(0, most, 4)
  const top0 = ticks.at(-1) ?? most
  const y = (value: number): number => top + PANEL - (Math.min(value, top0) / top0) * PANEL
  const lines = series.map(
    ({ points }, at) =>
      `<path class="line l${at}" stroke-dasharray="${LINES[at] ?? ''}" d="${points
        .map((point, turn) => `${turn === 0 ? 'M' : 'L'}${x(point.minute).toFixed(1)} ${y(of(point)).toFixed(1)}`)
        .join('')}"/>`,
  )
  const band =
    wrong === null
      ? ''
      : `<rect class="wrong" x="${x(wrong[0]).toFixed(1)}" y="${top}" ` +
        `width="${(x(wrong[1]) - x(wrong[0])).toFixed(1)}" height="${PANEL}"/>`
  const across = ticks.map(
    (tick) =>
      `<path class="grid" d="M${LEFT} ${y(tick).toFixed(1)}H${WIDTH - RIGHT}"/>` +
      `<text class="small" x="${LEFT - 8}" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end">${tick}</text>`,
  )
  const along = ticksOf(from, until, 8)
    .filter((tick) => tick >= from && tick <= until)
    .map(
      (tick) =>
        `<text class="small" x="${x(tick).toFixed(1)}" y="${top + PANEL + 16}" text-anchor="middle">${tick}</text>`,
    )
  const can =
    capacity === null ? '' : `<path class="capacity" d="M${LEFT} ${y(capacity).toFixed(1)}H${WIDTH - RIGHT}"/>`
  return (
    `${band}${across.join('')}${can}<path class="axis" d="M${LEFT} ${top}v${PANEL}H${WIDTH - RIGHT}"/>` +
    `<text x="${LEFT}" y="${top - 8}">${label}</text>${along.join('')}` +
    `<text class="small" x="${WIDTH - RIGHT}" y="${top - 8}" text-anchor="end">minutes${
      capacity === null ? '' : '; dotted: capacity'
    }</text>${lines.join('')}`
  )
}

function ticksOf(least: number, most: number, count: number): number[] {
  const rough = (most - least) / count || 1
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10) * power
  const first = Math.floor(least / step)
  const ticks: number[] = []
  for (let at = first; ; at += 1) {
    ticks.push(Number((at * step).toPrecision(6)))
    if (at * step >= most) return ticks
  }
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
