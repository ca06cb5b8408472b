import type { Lane } from './lane.ts'

/** One rule of a specification, and how to see whether an implementation keeps it. */
export interface Check {
  /** Stable, in the words of the wire: `cash.redeem.0051`. */
  readonly id: string
  /** The specification and its section: `3 §7.2 0051`. */
  readonly section: string
  /** The rule, as a sentence about the services. */
  readonly title: string
  /** Resolves when the rule is kept. Throws a Broken when it is not, a Skip when the target cannot show it. */
  readonly run: (lane: Lane) => Promise<void>
}

/** A group's checks: the group gives the first part of every id and the specification. */
export function checksOf(group: string, specification: 1 | 2 | 3) {
  const checks: Check[] = []
  return {
    checks,
    /** Adds one check. `section` starts at the paragraph: `§4.5 rule 1`. */
    check(id: string, section: string, title: string, run: Check['run']): void {
      checks.push({ id: `${group}.${id}`, section: `${specification} ${section}`, title, run })
    },
  }
}
