import type { Check } from './check.ts'
import { decisionOf, DECISIONS, meant } from './decisions.ts'
import { WITHOUT_CHECK } from './sections.ts'

const DOCUMENTS = { 1: 'Offers', 2: 'Offer state and transaction history', 3: 'Issuance and cash' } as const

/** From section to checks, as the page of the documentation has it. */
export function tableOf(checks: readonly Check[]): string {
  const decided = checks.filter(({ id }) => decisionOf(id) !== undefined).length
  const lines = [
    '# From specification section to check',
    '',
    '<!-- Made by `npm run test:conformance -- --list --markdown --out docs/conformance.md`. -->',
    '',
    `${checks.length} checks: ${checks.length - decided} show what a specification says, ${decided} what was ` +
      `decided where it does not. Run them with \`npm run test:conformance -- --target URL\`; how is told in ` +
      `\`conformance/README.md\`.`,
  ]
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  lines.push(
    '',
    '## What was decided',
    '',
    'Where a specification does not say it, or says that it is not shown, it was decided or assumed once, and ' +
      'that is checked. A service that does otherwise conforms: against a target the outcome of these checks is ' +
      '`decided`, alike or otherwise, and never a failure. A star stands for any characters.',
    '',
  )
  lines.push('| section | point | decided | checked by | checks |', '|---|---|---|---|---|')
  for (const decision of DECISIONS) {
    const { section, point, checks: patterns } = decision
    const count = checks.filter(({ id }) => patterns.some((pattern) => meant(pattern, id))).length
    lines.push(
      `| ${section} | ${cell(point)} | ${cell(decision.decided)} | ` +
        `${patterns.map((pattern) => `\`${pattern}\``).join(', ')} | ${count} |`,
    )
  }
  lines.push('', '## What has no check, and why', '', '| section | reason |', '|---|---|')
  for (const [section, reason] of Object.entries(WITHOUT_CHECK)) lines.push(`| ${section} | ${cell(reason)} |`)
  for (const [number, name] of Object.entries(DOCUMENTS)) {
    const own = checks.filter(({ section }) => section.startsWith(`${number} `))
    if (own.length === 0) continue
    lines.push('', `## Specification ${number}: ${name}`, '', '| section | check | rule | |', '|---|---|---|---|')
    const sorted = own.toSorted((a, b) => a.section.localeCompare(b.section, 'en', { numeric: true }))
    for (const { id, section, title } of sorted)
      lines.push(`| ${section.slice(2)} | \`${id}\` | ${cell(title)} | ${decisionOf(id) ? 'decided' : ''} |`)
  }
  return `${lines.join('\n')}\n`
}
