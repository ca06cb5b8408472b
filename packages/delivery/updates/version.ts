import { z } from 'zod'

/** Three numbers, as package.json has them. Trials go out as waves, so there are no versions “before” a version. */
export const Version = z
  .string()
  .regex(/^(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})$/, 'a version is three numbers, such as 1.4.0')

/** Below zero: the first is older. Both are versions. */
export function compareVersions(one: string, other: string): number {
  const others = other.split('.').map(Number)
  return one.split('.').reduce((known, part, index) => known || Number(part) - (others[index] ?? 0), 0)
}
