import type { Check } from './check.ts'
import { DECISIONS, decisionOf, meant } from './decisions.ts'

const DOCUMENTS = { 1: 'Offers', 2: 'Offer state and transaction history', 3: 'Issuance and cash' } as const

/** From section to checks, as the page of the documentation has it. */
export function tableOf(checks: readonly Check[]): string {
  const decided = checks.filter(({ id }) => decisionOf(id) !== undefined).length
  const lines = [
    '# From specification section to check',
    '',
    '<!-- Made by `npm run lab -- conformance --list --markdown --out docs/conformance.md`. -->',
    '',
    `${checks.length} checks: ${checks.length - decided} show what a specification says, ${decided} what was ` +
      `decided where it does not. Run them with \`npm run lab -- conformance --target URL\`; how is told in ` +
      `\`docs/conformance-suite.md\`.`,
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

/** Every section and numbered rule of the specifications that a check can cite, as the checks write it. */
export const SECTIONS: Readonly<Record<1 | 2 | 3, readonly string[]>> = {
  1: [
    '§1',
    '§2.1',
    '§2.2',
    '§2.3',
    '§2.4',
    '§3',
    '§4.1',
    '§4.2',
    '§4.3',
    '§4.4',
    '§5',
    '§6',
    '§7',
    ...['err-login-required', 'err-region', 'err-not-found', 'err-expired', 'err-not-live', 'err-exclusive'].map(
      (code) => `§7 ${code}`,
    ),
    '§8',
    '§9',
  ],
  2: ['§1', '§2.1', '§2.2', '§2.3', '§3', '§4.1', '§4.2', '§5', '§6', '§7', '§8', '§9'],
  3: [
    '§1',
    '§2.1',
    '§2.2',
    '§2.3',
    '§2.4',
    '§3',
    '§4',
    '§4.1',
    '§4.2',
    ...[1, 2, 3, 4, 5].map((rule) => `§4.2 rule ${rule}`),
    '§4.3',
    '§4.4',
    '§4.5',
    ...[1, 2, 3, 4, 5, 6, 7].map((rule) => `§4.5 rule ${rule}`),
    '§5',
    '§6',
    '§7.1',
    ...['202', '203', '204', '205', '207', '208', '221', '224', '225', '230', '232', '234', '000'].map(
      (code) => `§7.1 ${code}`,
    ),
    '§7.2',
    ...[
      '0000',
      '0001',
      '0002',
      '0005',
      '0006',
      '0008',
      '0009',
      '0025',
      '0035',
      '0051',
      '0057',
      '0065',
      '0066',
      '0067',
      '0080',
      '0092',
      '0096',
    ].map((code) => `§7.2 ${code}`),
    '§8',
    '§9',
  ],
}

/** Why a section has no check. A section that has one must not stand here. */
export const WITHOUT_CHECK: Readonly<Record<string, string>> = {
  '1 §6': 'events are not shown',
  '1 §9': 'versioning is not shown',
  '2 §6': 'events are not shown',
  '3 §4.2 rule 4':
    'a duty of the caller: to try again at least twice after a 500, then to ask for support. That a retry with ' +
    'the same key is safe is §4.1',
  '3 §4.5 rule 3': 'a duty of the terminal: to show and print the confirmation number. That REDEEM gives one is §2.4',
  '3 §4.5 rule 4': 'a duty of the terminal: balances go on the receipt, never on the screen',
  '3 §4.5 rule 5': 'a duty of the terminal: the receipt keeps balances back under 0001. That 0001 is answered is §7.2',
  '3 §4.5 rule 7':
    'a duty of the store: after the window a refund is a credit or a gift card, never cash. That the service ' +
    'says so is §7.2 0080',
  '3 §6': 'events are not shown',
}
