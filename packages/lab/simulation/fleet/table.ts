import { isMet, type Figure, type Result } from './figures.ts'

const valueOf = ({ value, unit }: Figure): string =>
  value === null ? '–' : value === Infinity ? 'never' : `${Number(value.toFixed(unit === '%' ? 1 : 2))}${unit}`
/** Formats a figure; in parentheses if it is not judged by its limit. */
const shown = (figure: Figure): string => (figure.isJudged ? valueOf(figure) : `(${valueOf(figure)})`)
const limit = ({ is, limit: most, unit }: Figure): string => `${is === 'at most' ? '≤' : '≥'} ${most}${unit}`

export function tableOf(results: readonly Result[]): string {
  const [first] = results
  if (!first) return ''
  const rows = first.figures.map((figure, at) => [
    figure.name,
    limit(figure),
    ...results.map(({ figures }) => cell(figures[at])),
  ])
  const head = ['', 'limit', ...results.map(({ policy, lanes }) => `${policy} (${lanes})`)]
  const widths = head.map((title, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row.map((text, column) => text.padEnd(widths[column] ?? 0)).join('  ')
  return `${first.scenario}: ${first.title}\n${[head, ...rows].map((row) => `  ${line(row).trimEnd()}`).join('\n')}`
}

const cell = (figure: Figure | undefined): string =>
  figure === undefined ? '' : `${shown(figure)}${isMet(figure) ? '' : ' !'}`

export function markdownOf(results: readonly Result[]): string {
  const [first] = results
  if (!first) return ''
  const head = ['scenario', 'policy', ...first.figures.map((figure) => `${figure.name} (${limit(figure)})`)]
  const rows = results.map(({ title, policy, lanes, figures }) => [
    title,
    `${policy}, ${lanes}`,
    ...figures.map((figure) => (isMet(figure) ? shown(figure) : `**${shown(figure)}**`)),
  ])
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')
}
