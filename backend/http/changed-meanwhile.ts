import { isDeepStrictEqual } from 'node:util'
import { ProblemError } from './problem.ts'

/**
 * A form changes what its reader saw. `seen`: that, as it came from the API; undefined where no form is behind the
 * change. Throws ProblemError `changed-meanwhile` where it is another by now.
 */
export function refuseChanged(seen: unknown, now: unknown): void {
  // As it went over the wire: what is undefined was not in it.
  const asSent: unknown = now === undefined ? null : JSON.parse(JSON.stringify(now))
  if (seen !== undefined && !isDeepStrictEqual(seen, asSent)) throw new ProblemError('changed-meanwhile')
}
