import type { Sample } from '../../../contracts/store/metrics.ts'

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LINE = /^([^ {]+)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)/y
const ENDS: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total'],
  gauge: [''],
  histogram: ['_bucket', '_count', '_sum'],
}

/**
 * Parses counters, gauges and histograms of OpenMetrics 1.0.0 by its grammar and these rules: metrics are contiguous,
 * suffixes match the type, series are unique, nothing follows `# EOF`. Throws for invalid text.
 */
export function parseOpenMetrics(text: string): Sample[] {
  const lines = text.split('\n')
  if (lines.pop() !== '' || lines.pop() !== '# EOF') throw new Error('it does not end with # EOF and a line feed')
  const samples: Sample[] = []
  const seen = new Set<string>()
  const metrics = new Set<string>()
  let current = { name: '', type: '' }
  for (const line of lines) {
    const [, keyword, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      if (metrics.has(name)) throw new Error(`samples of ${name} are not contiguous`)
      metrics.add(name)
      current = { name, type: '' }
    } else if (keyword === 'TYPE') {
      if (name !== current.name || !(rest in ENDS)) throw new Error(`no type: ${line}`)
      current = { name, type: rest }
    } else {
      const sample = sampleOf(line)
      if (!ENDS[current.type]?.some((end) => sample.name === current.name + end))
        throw new Error(`no ${current.name}: ${line}`)
      const key = JSON.stringify([
        sample.name,
        Object.entries(sample.labels).toSorted(([one], [other]) => (one < other ? -1 : 1)),
      ])
      if (seen.has(key)) throw new Error(`twice: ${line}`)
      seen.add(key)
      samples.push(sample)
    }
  }
  return samples
}

function sampleOf(line: string): Sample {
  const [, name = '', within = '', written = ''] = LINE.exec(line) ?? []
  const value = Number(written)
  if (!NAME.test(name) || written === '' || Number.isNaN(value)) throw new Error(`no sample: ${line}`)
  const labels: Record<string, string> = {}
  for (LABEL.lastIndex = 0; LABEL.lastIndex < within.length;) {
    const [, label, text] = LABEL.exec(within) ?? []
    if (label === undefined || text === undefined || Object.hasOwn(labels, label)) throw new Error(`no labels: ${line}`)
    labels[label] = text.replaceAll(/\\(.)/g, (_, sign: string) => (sign === 'n' ? '\n' : sign))
  }
  return { name, labels, value }
}
