import { Counter, Gauge, Histogram, type OpenMetricsContentType, Registry } from 'prom-client'
import type { Metric, MetricTable } from '../../contracts/core/metric-table.ts'
import type { Sample } from '../../contracts/store/metrics.ts'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { writeWhole } from './whole-file.ts'

type LabelsOf<M extends Metric> = M extends { readonly labels: infer L }
  ? { readonly [Name in keyof L]: L[Name] extends readonly (infer Value)[] ? Value : string }
  : Record<string, never>
type NamesOf<Table extends MetricTable, Kind extends Metric['kind']> = {
  [Name in keyof Table]: Table[Name]['kind'] extends Kind ? Name : never
}[keyof Table] &
  string

export interface Metrics<Table extends MetricTable> {
  add<Name extends NamesOf<Table, 'counter'>>(name: Name, labels: LabelsOf<Table[Name]>, by?: number): void
  set<Name extends NamesOf<Table, 'gauge'>>(name: Name, labels: LabelsOf<Table[Name]>, value: number): void
  observe<Name extends NamesOf<Table, 'histogram'>>(name: Name, labels: LabelsOf<Table[Name]>, value: number): void
  forget(...names: NamesOf<Table, 'gauge'>[]): void
  samples(): Promise<Sample[]>
  /** Returns all metrics as OpenMetrics text 1.0.0. */
  text(): Promise<string>
}

export const METRICS_TYPE = Registry.OPENMETRICS_CONTENT_TYPE

function labelSets(labels: NonNullable<Metric['labels']>): Record<string, string>[] {
  let sets: Record<string, string>[] = [{}]
  for (const [name, values] of Object.entries(labels))
    sets = values === 'any' ? [] : sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value })))
  return sets
}

/**
 * Creates the metrics that `table` defines. Counters start at 0, so that an event that never happened differs from a
 * missing metric.
 */
export function createMetrics<const Table extends MetricTable>(table: Table): Metrics<Table> {
  const registry = new Registry<OpenMetricsContentType>()
  registry.setContentType(METRICS_TYPE)
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Histogram>()
  for (const [key, { name, help, kind, labels = {}, buckets = [] }] of Object.entries<Metric>(table)) {
    const made = { name, help, labelNames: Object.keys(labels), registers: [registry] }
    if (kind === 'gauge') gauges.set(key, new Gauge(made))
    else if (kind === 'histogram') histograms.set(key, new Histogram({ ...made, buckets: [...buckets] }))
    else {
      const counter = new Counter(made)
      for (const set of labelSets(labels)) counter.inc(set, 0)
      counters.set(key, counter)
    }
  }
  return {
    add: (name, labels, by = 1) => counters.get(name)?.inc(labels, by),
    set: (name, labels, value) => gauges.get(name)?.set(labels, value),
    observe: (name, labels, value) => histograms.get(name)?.observe(labels, value),
    forget(...names) {
      for (const name of names) {
        const gauge = gauges.get(name)
        // Gauges without labels are removed: a reset would set them to 0, which would be read as a measured value.
        if (Object.keys(table[name]?.labels ?? {}).length > 0) gauge?.reset()
        else gauge?.remove()
      }
    },
    async samples() {
      const all = await registry.getMetricsAsJSON()
      return all.flatMap(({ name, type, values }) => values.map((value) => sampleOf(name, String(type), value)))
    },
    text: () => registry.metrics(),
  }
}

function sampleOf(name: string, type: string, entry: { readonly value: number; readonly labels: object }): Sample {
  const written = 'metricName' in entry && typeof entry.metricName === 'string' ? entry.metricName : name
  const labels = Object.entries(entry.labels).map(([label, value]) => [label, String(value)])
  return {
    name: type === 'counter' ? `${written}_total` : written,
    labels: Object.fromEntries(labels),
    value: entry.value,
  }
}

const FILE = 'metrics.token'
const HASH = /^[0-9a-f]{64}$/

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/**
 * Creates a scrape token of 256 random bits, which replaces any other immediately. The token is returned once and not
 * stored.
 */
export function makeScrapeToken(dataFolder: string): string {
  const token = randomBytes(32).toString('base64url')
  writeWhole(path.join(dataFolder, FILE), `${hashOf(token).toString('hex')}\n`)
  return token
}

export const forgetScrapeToken = (dataFolder: string): void => rmSync(path.join(dataFolder, FILE), { force: true })

/** Returns the stored hash of the scrape token; null if scraping is disabled or the file is invalid or unreadable. */
function storedHash(dataFolder: string): Buffer | null {
  try {
    const text = readFileSync(path.join(dataFolder, FILE), 'utf8').trim()
    return HASH.test(text) ? Buffer.from(text, 'hex') : null
  } catch {
    return null
  }
}

export const isScraped = (dataFolder: string): boolean => storedHash(dataFolder) !== null

/** Returns whether a token is the scrape token. Compares hashes in constant time. */
export function opensScrape(dataFolder: string, token: string): boolean {
  const stored = storedHash(dataFolder)
  return stored !== null && timingSafeEqual(stored, hashOf(token))
}
