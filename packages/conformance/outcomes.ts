/** The services did something else than the rule says. */
export class Broken extends Error {}

/**
 * The rule cannot be shown on this target: it, or its bench file, lacks what the check needs. The message says what.
 */
export class Skip extends Error {}

/** What the check cannot do without. Throws a Skip with the reason when it is not there. */
export function need<Value>(value: Value | null | undefined, reason: string): Value {
  if (value === null || value === undefined) throw new Skip(reason)
  return value
}
