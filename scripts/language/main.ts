import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { emptyTitle, findingsIn, findingsInFrench } from './phrases.ts'
import type { Finding } from './phrases.ts'
import { textsOfDocument, textsOfHashes, textsOfSource, textsOfSql, textsOfStyles } from './texts.ts'
import type { Text } from './texts.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

function textsOf(file: string, source: string): Text[] {
  switch (path.extname(file)) {
    case '.md':
      return textsOfDocument(source)
    case '.css':
      return textsOfStyles(source)
    case '.sql':
      return textsOfSql(source)
    case '.yaml':
    case '.yml':
    case '.sh':
      return textsOfHashes(source)
    default:
      return file === '.ci/run' ? textsOfHashes(source) : textsOfSource(file, source)
  }
}

export function proseFiles(places: readonly string[] = []): string[] {
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...places], {
    cwd: root,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(
      (file) =>
        /\.(?:tsx?|mjs|cjs|js|css|md|sql|ya?ml|sh)$|^\.ci\/run$/u.test(file) &&
        !/^docs\/fr\/|^scripts\/language\//u.test(file),
    )
}

export interface FileFinding {
  readonly file: string
  readonly line: number
  readonly kind: Text['kind']
  readonly found: string
  readonly instead: string
}

/** Path of the files with French messages. */
const FRENCH = /\/fr-CA\//u
/** The scripts that install a package print each message in English and in French, here found by its accents. */
const FRENCH_LINE = /^\s*echo .*[àâçèéêîôû].*$/gmu
const INSTALLERS = 'packages/delivery/packaging/installer-files.ts'

function findingsOf(file: string, { kind, text }: Text): Finding[] {
  if (FRENCH.test(file)) return kind === 'message' ? findingsInFrench(text) : findingsIn(text)
  const findings = findingsIn(text)
  if (file === INSTALLERS)
    for (const { 0: line, index } of text.matchAll(FRENCH_LINE))
      findings.push(...findingsInFrench(line).map((finding) => ({ ...finding, at: index + finding.at })))
  const instead = kind === 'title' ? emptyTitle(text) : null
  if (instead !== null) findings.push({ at: 0, found: text, instead })
  return findings
}

export function findingsOfFiles(files: readonly string[]): FileFinding[] {
  return files.flatMap((file) =>
    textsOf(file, readFileSync(path.join(root, file), 'utf8')).flatMap((text) =>
      findingsOf(file, text).map(({ at, found, instead }) => ({
        file,
        line: text.line + text.text.slice(0, at).split('\n').length - 1,
        kind: text.kind,
        found,
        instead,
      })),
    ),
  )
}

if (import.meta.main) {
  const findings = findingsOfFiles(proseFiles(process.argv.slice(2)))
  for (const { file, line, kind, found, instead } of findings)
    console.log(`${file}:${line} ${kind}: "${found.replaceAll('\n', ' ')}" → ${instead}`)
  const lines = new Set(findings.map(({ file, line }) => `${file}:${line}`)).size
  console.log(
    findings.length === 0 ? 'language: no finding' : `language: ${findings.length} findings on ${lines} lines`,
  )
  process.exitCode = findings.length === 0 ? 0 : 1
}
