import type { Client } from './client.ts'

export interface Check {
  /** An id that does not change and uses names of the wire: `cash.redeem.0051`. */
  readonly id: string
  /** The specification with its section, and a rule or response code if any: `3 §7.2 0051`. */
  readonly section: string
  readonly title: string
  /** Throws RuleViolation if the rule does not hold, and Skip if the target cannot be tested for it. */
  readonly run: (client: Client) => Promise<void>
}

/**
 * Collects the checks of a group. The group’s name is the prefix of their ids, and all of them belong to one
 * specification.
 */
export function checksOf(group: string, specification: 1 | 2 | 3) {
  const checks: Check[] = []
  return {
    checks,
    /** `section`: the section number and the rule, without the specification: `§4.5 rule 1`. */
    check(id: string, section: string, title: string, run: Check['run']): void {
      checks.push({ id: `${group}.${id}`, section: `${specification} ${section}`, title, run })
    },
  }
}
