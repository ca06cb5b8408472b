import { csvFile } from '../../../contracts/core/csv.ts'
import type { Mode } from './program-files.ts'
import { megabytes } from './programs.ts'

export type Outcome =
  | {
      readonly kind: 'made' | 'reused'
      readonly store: string
      readonly name: string
      readonly lanes: readonly string[]
      readonly mode: Mode
      readonly platform: string
      readonly file: string
      readonly bytes: number
      readonly sha256: string
      readonly warnings: readonly string[]
    }
  | { readonly kind: 'broken'; readonly store: string; readonly profile: string; readonly mistakes: readonly string[] }

export const REPORT_COLUMNS = [
  'store',
  'name',
  'lanes',
  'mode',
  'platform',
  'file',
  'bytes',
  'sha256',
  'warnings',
  'mistakes',
] as const

/** Returns a CSV with one row per package, for a spreadsheet; identical for created and reused packages. */
export const csvReport = (outcomes: readonly Outcome[]): string =>
  csvFile(
    [...REPORT_COLUMNS],
    outcomes.map((one) =>
      one.kind === 'broken'
        ? [one.store, '', '', '', '', '', '', '', '', one.mistakes.join('\n')]
        : [
            one.store,
            one.name,
            one.lanes.join(' '),
            one.mode,
            one.platform,
            one.file,
            one.bytes,
            one.sha256,
            one.warnings.join('\n'),
            '',
          ],
    ),
  )

export const SUMS_FILE = 'SHA256SUMS'
export const sums = (outcomes: readonly Outcome[]): string =>
  outcomes.flatMap((one) => (one.kind === 'broken' ? [] : [`${one.sha256}  ${one.file}\n`])).join('')

const SIGNS: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => SIGNS[sign] ?? sign)
const cell = (text: string): string => `<td>${escaped(text).replaceAll('\n', '<br>')}</td>`

export function htmlReport(outcomes: readonly Outcome[]): string {
  const broken = outcomes.filter((one) => one.kind === 'broken')
  const packages = outcomes.filter((one) => one.kind !== 'broken')
  const all = packages.reduce((sum, { bytes }) => sum + bytes, 0)
  const reused = packages.filter(({ kind }) => kind === 'reused').length
  const mistakes = broken.map(
    ({ store, mistakes: lines }) => `<tr>${cell(store)}<td><pre>${escaped(lines.join('\n'))}</pre></td></tr>`,
  )
  const rows = packages.map(
    ({ store, name, lanes, mode, platform, file, bytes, sha256, warnings }) =>
      `<tr>${[store, name, lanes.join(' '), mode, platform].map(cell).join('')}` +
      `<td><a href="${encodeURIComponent(file)}">${escaped(file)}</a></td>` +
      `<td class="number">${megabytes(bytes)}</td><td><code>${sha256}</code></td>${cell(warnings.join('\n'))}</tr>`,
  )
  return `<!doctype html>
<html lang="en-CA"><meta charset="utf-8"><title>Packages</title>
<style>
body{font:15px/1.5 system-ui,sans-serif;margin:2rem}table{border-collapse:collapse;margin:1rem 0}
th,td{border-bottom:1px solid #bbb;padding:.3rem .7rem;text-align:left;vertical-align:top}
.number{text-align:right;white-space:nowrap}code{font-size:12px;overflow-wrap:anywhere}
pre{margin:0;white-space:pre-wrap}
</style>
<h1>Packages</h1>
<p>${packages.length} packages (${megabytes(all)}), ${reused} of them reused; ${broken.length} stores with
mistakes in their profiles.</p>
${broken.length === 0 ? '' : `<h2>Stores without a package</h2>${table(['Store', 'Mistakes'], mistakes)}`}
<h2>Packages</h2>
${
  rows.length === 0
    ? '<p>No package was made.</p>'
    : table(['Store', 'Name', 'Lanes', 'Mode', 'Platform', 'File', 'Size', 'SHA-256', 'Warnings'], rows)
}
</html>
`
}

const table = (heads: readonly string[], rows: readonly string[]): string =>
  `<table><thead><tr>${heads.map((head) => `<th scope="col">${head}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody></table>`

export interface Progress {
  advance(by?: number): void
  end(): void
}

interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

const BAR = 24
const LINE_EVERY_MS = 10_000

export function startProgress(
  what: string,
  all: number,
  out: Terminal = process.stderr,
  now: () => number = () => performance.now(),
): Progress {
  const startedAt = now()
  let done = 0
  let lastLine = startedAt
  const timeLeft = (): string => {
    const ms = done === 0 ? null : ((now() - startedAt) / done) * (all - done)
    return ms === null ? '' : `, ${timeOf(ms)} left`
  }
  const line = (): string => `${done} of ${all} ${what}${timeLeft()}`
  return {
    advance(by = 1) {
      done += by
      if (out.isTTY === true) {
        const filled = Math.round((done / Math.max(all, 1)) * BAR)
        const bar = `[${'#'.repeat(filled)}${' '.repeat(BAR - filled)}] ${line()}`
        out.write(`\r${bar.slice(0, (out.columns ?? 80) - 1)}\u001b[K`)
      } else if (now() - lastLine >= LINE_EVERY_MS) {
        lastLine = now()
        out.write(`${line()}\n`)
      }
    },
    end() {
      if (out.isTTY === true) out.write('\r\u001b[K')
      out.write(`${done} of ${all} ${what} in ${timeOf(now() - startedAt)}.\n`)
    },
  }
}

export function timeOf(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
