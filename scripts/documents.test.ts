import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = path.join(import.meta.dirname, '..')
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(ROOT, file)))
const documents = tracked.filter((file) => file.endsWith('.md'))
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8')
const wordsOf = (file: string): number => read(file).split(/\s+/).filter(Boolean).length

/**
 * Matches a source file in backticks in a document, as a path or as the end of one. Names with a placeholder do not
 * match.
 */
const SOURCE = /`((?:[\w.-]+\/)*[\w.-]+\.(?:tsx?|cts|mjs|sql|css))`/g
/** File names in documents that are examples: the reader creates these files. */
const EXAMPLES = new Set(['X.test.ts', 'X.campaign.test.ts', 'X.campaign.spec.ts', 'sales.ts'])

test('each source file that a document names exists', () => {
  const missing = documents.flatMap((document) =>
    [...read(document).matchAll(SOURCE)]
      .map(([, name = '']) => name)
      .filter((name) => !EXAMPLES.has(name) && !name.includes('NNNN'))
      .filter((name) => !tracked.some((file) => file === name || file.endsWith(`/${name}`)))
      .map((name) => `${document}: ${name}`),
  )
  expect(missing).toEqual([])
})

const anchorsOf = (file: string): Set<string> =>
  new Set(
    [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/\]\([^)]*\)/g, '')
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

test('each link in a document leads to an existing file, and to an existing heading in it', () => {
  const broken = documents.flatMap((document) =>
    [...read(document).matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [file = '', anchor] = link.split('#')
        const target = file === '' ? document : path.posix.join(path.posix.dirname(document), file)
        if (!existsSync(path.join(ROOT, target))) return true
        return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)
      })
      .map((link) => `${document}: ${link}`),
  )
  expect(broken).toEqual([])
})

describe('the size of the documents', () => {
  test('is at most 4,000 words for README, CONTRIBUTING and architecture together', () => {
    const first = ['README.md', 'CONTRIBUTING.md', 'docs/architecture.md']
    expect(wordsOf('README.md')).toBeLessThanOrEqual(800)
    expect(wordsOf('docs/architecture.md')).toBeLessThanOrEqual(2500)
    expect(first.reduce((sum, file) => sum + wordsOf(file), 0)).toBeLessThanOrEqual(4000)
  })

  test('is at most 60,000 words for all documents together', () => {
    expect(documents.reduce((sum, file) => sum + wordsOf(file), 0)).toBeLessThanOrEqual(60_000)
  })
})

describe('each decision record', () => {
  const records = documents.filter((file) => file.startsWith('docs/decisions/')).toSorted()

  test('has at most 300 words, and its number follows that of the previous record', () => {
    expect(records.filter((file) => wordsOf(file) > 300)).toEqual([])
    expect(records.map((file) => Number(path.basename(file).slice(0, 4)))).toEqual(records.map((_, index) => index + 1))
  })

  test('is linked from the code that it explains', () => {
    const sources = tracked.filter((file) => /\.(?:tsx?|mjs)$/.test(file)).map(read)
    expect(records.filter((file) => !sources.some((source) => source.includes(file)))).toEqual([])
  })
})
