import type { Lane } from './lane.ts'

/** A rule of a specification and a test of it. */
export interface Check {
  /** Stable; uses names of the wire: `cash.redeem.0051`. */
  readonly id: string
  /** Specification and section: `3 §7.2 0051`. */
  readonly section: string
  readonly title: string
  /** Resolves when the rule holds. Throws Broken when it does not, and Skip when the target cannot be tested. */
  readonly run: (lane: Lane) => Promise<void>
}

/** Collects the checks of a group, which gives the id prefix and the specification. */
export function checksOf(group: string, specification: 1 | 2 | 3) {
  const checks: Check[] = []
  return {
    checks,
    /** Adds a check. `section` starts at the paragraph: `§4.5 rule 1`. */
    check(id: string, section: string, title: string, run: Check['run']): void {
      checks.push({ id: `${group}.${id}`, section: `${specification} ${section}`, title, run })
    },
  }
}
