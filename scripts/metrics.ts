import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { mutualPairs, sourcesOf } from './boundaries.ts'

/** `npm run lab -- metrics`: measures size and structure of the sources; prints JSON with `--json`. */

const root = fileURLToPath(new URL('..', import.meta.url))

/** Matches tests, test helpers, scenarios and benchmarks; all other TypeScript is the product. */
const isSupport = (file: string): boolean =>
  /\.(test|fixture|spec)\.tsx?$|(^|\/)testing(\.ts$|\/)|^(e2e|bench|packages\/lab)\//.test(file)

const linesOf = (text: string): number => text.split('\n').length - 1

const OPENS_FUNCTION = [
  /^(\s*)(?:export )?(?:default )?(?:async )?function\b/,
  /^(\s*)(?:export )?(?:const|let) \w+.*=>.*[{(]$/,
  /^(\s*)(?:async )?\w+\(.*\{$/,
]
const OPENS_NO_FUNCTION = /^\s*(?:if|for|while|switch|catch|return|test|it|describe)\b/

function functionLengths(text: string): number[] {
  const lines = text.split('\n')
  const lengths: number[] = []
  for (const [start, line] of lines.entries()) {
    const opened = OPENS_FUNCTION.map((pattern) => pattern.exec(line)).find((match) => match !== null)
    if (!opened || OPENS_NO_FUNCTION.test(line)) continue
    const closes = (other: string): boolean =>
      /^\s*[})]/.test(other) && other.search(/\S/) === opened[1]?.length && !other.endsWith('{')
    const end = lines.findIndex((other, at) => at > start && closes(other))
    if (end > start) lengths.push(end - start + 1)
  }
  return lengths
}

const INTERFACES = /^(?:export )?interface \w*(?:Options|Parts|Deps|Dependencies)\b[^{]*\{\n([\s\S]*?)^\}/gm
/** Matches a member that is a function, a service of the context, or an injected component. */
const INJECTED = new RegExp(
  [
    String.raw`=>|^\s+\w+\??\(`,
    String.raw`\b(?:Ctx|Database|Transact|Outbox|Seal|Clock|Rng|Logger|Journal|Sessions|AuditTrail|Transport)\b`,
    String.raw`: (?:Pick<)?[A-Z]\w*(?:Service|Client|Repository|Hub|Stream|Channel|Store)\b`,
  ].join('|'),
  'm',
)

function optionLines(text: string, wanted: 'injected' | 'values'): number {
  return [...text.matchAll(INTERFACES)]
    .map(([declared]) => declared.replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, '')))
    .filter((declared) => INJECTED.test(declared) === (wanted === 'injected'))
    .reduce((sum, declared) => sum + linesOf(declared) + 1, 0)
}

/**
 * The files from the key F4 to the first byte of REDEEM, each with its call of the next file. Functions that every
 * command passes are left out: the window’s queue, Fastify and the command channel.
 */
const REDEEM_PATH: readonly (readonly [file: string, call: string])[] = [
  ['renderer/actions/paying-actions.ts', 'redeem(c.state.current?.redemptionChoice?.defaultUnits'],
  ['renderer/sales/sale-commands.ts', 'api.redeem('],
  ['renderer/core/api/terminal-api.ts', "command(route['POST /sales/:id/redemption']"],
  ['renderer/core/api/client.ts', 'fetchFromLane('],
  ['renderer/core/api/window-session.ts', 'fetch('],
  ['backend/payments/payments.routes.ts', 'milesTenderOf(ctx)'],
  ['backend/payments/tenders/redemption.ts', 'await sendRedemption(ctx, operation)'],
  ['backend/loyalty/calls/redeem.ts', 'cashClientOf(ctx).sendStored('],
  ['backend/loyalty/services/cash.ts', 'transport.send('],
  ['backend/core/central/transport.ts', 'await request('],
]

function redeemSteps(): number {
  for (const [file, call] of REDEEM_PATH)
    if (!readFileSync(path.join(root, file), 'utf8').includes(call))
      throw new Error(`${file} no longer calls ${call}. Update REDEEM_PATH in scripts/metrics.ts.`)
  return REDEEM_PATH.length - 1
}

function count(): Record<string, number> {
  const files = sourcesOf(root).filter(({ path: file }) => !file.endsWith('.config.ts'))
  const product = files.filter(({ path: file }) => !isSupport(file))
  const support = files.filter(({ path: file }) => isSupport(file))
  const lengths = product.flatMap(({ text }) => functionLengths(text))
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  const css = tracked.filter((file) => file.endsWith('.css') && !isSupport(file))
  const all = product.map(({ text }) => text).join('\n')
  const scripts = (JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { scripts: object }).scripts
  const sum = (texts: readonly string[]): number => texts.reduce((lines, text) => lines + linesOf(text), 0)
  return {
    'product files': product.length,
    'product files under 40 lines': product.filter(({ text }) => linesOf(text) < 40).length,
    'folders with product files': new Set(product.map(({ path: file }) => path.posix.dirname(file))).size,
    'loose files in backend/': product.filter(({ path: file }) => /^backend\/[^/]+$/.test(file)).length,
    'lines of injected option interfaces': product.reduce(
      (lines, { text }) => lines + optionLines(text, 'injected'),
      0,
    ),
    'lines of interfaces of option values': product.reduce((lines, { text }) => lines + optionLines(text, 'values'), 0),
    'lines of wiring': sum(
      product
        .filter(({ path: file }) => /^backend\/(app|checkout|lane|program)\.ts/.test(file))
        .map(({ text }) => text),
    ),
    'functions over 80 lines': lengths.filter((length) => length > 80).length,
    'functions over 150 lines': lengths.filter((length) => length > 150).length,
    'places that throw sale-stale': [...all.matchAll(/ProblemError\(\s*'sale-stale'/g)].length,
    'mutual pairs of features': mutualPairs(files).length,
    'places that start a worker thread': [...all.matchAll(/new Worker\(/g)].length,
    'option parsers': [...all.matchAll(/\bparseArgs\(/g)].length,
    'CSS lines': sum(css.map((file) => readFileSync(path.join(root, file), 'utf8'))),
    'product lines': sum(product.map(({ text }) => text)),
    'support and test lines': sum(support.map(({ text }) => text)),
    'file changes from F4 to the first byte of REDEEM': redeemSteps(),
    'npm scripts': Object.keys(scripts).length,
    'top-level folders': new Set(
      tracked.filter((file) => file.includes('/') && !file.startsWith('.')).map((file) => file.split('/')[0]),
    ).size,
    'product files that name cheque': product.filter(({ text }) => /cheque/i.test(text)).length,
  }
}

const counts = count()
if (process.argv.includes('--json')) console.log(JSON.stringify(counts))
else
  for (const [name, number] of Object.entries(counts))
    console.log(`${number.toLocaleString('en-CA').padStart(9)}  ${name}`)
