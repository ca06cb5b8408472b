import type { Check } from './check.ts'
import { DECISIONS, WITHOUT_CHECK } from './sections.ts'

const DOCUMENTS = { 1: 'Offers', 2: 'Offer state and transaction history', 3: 'Issuance and cash' } as const

/** From section to checks, as the page of the documentation has it. */
export function tableOf(checks: readonly Check[]): string {
  const lines = [
    '# From specification section to check', '',
    '<!-- Made by `npm run test:conformance -- --list --markdown --out docs/conformance.md`. -->', '',
    `${checks.length} checks. Run them with \`npm run test:conformance -- --target URL\`; how is told in \`central/conformance/README.md\`.`,
  ]
  const cell = (text: string): string => text.replaceAll('|', '\\|')
  lines.push('', '## What was decided', '', 'Where a specification lists something and does not say whether it must be so, it was decided once, and the decision is checked.', '')
  lines.push('| section | point | decided | checked by |', '|---|---|---|---|')
  for (const { section, point, decided, checks: ids } of DECISIONS) lines.push(`| ${section} | ${cell(point)} | ${cell(decided)} | ${ids.map((id) => `\`${id}\``).join(', ')} |`)
  lines.push('', '## What has no check, and why', '', '| section | reason |', '|---|---|')
  for (const [section, reason] of Object.entries(WITHOUT_CHECK)) lines.push(`| ${section} | ${cell(reason)} |`)
  for (const [number, name] of Object.entries(DOCUMENTS)) {
    const own = checks.filter(({ section }) => section.startsWith(`${number} `))
    if (own.length === 0) continue
    lines.push('', `## Specification ${number}: ${name}`, '', '| section | check | rule |', '|---|---|---|')
    const sorted = own.toSorted((a, b) => a.section.localeCompare(b.section, 'en', { numeric: true }))
    for (const { id, section, title } of sorted) lines.push(`| ${section.slice(2)} | \`${id}\` | ${cell(title)} |`)
  }
  return `${lines.join('\n')}\n`
}
