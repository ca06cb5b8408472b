import { electronSupport, type PinnedMajor } from '../contracts/core/electron-support.ts'

/**
 * What whoever makes a package is told from four weeks before the end of Electron's support on, or null. A warning and
 * no more: the same tree builds the same package on every day.
 */
export function supportWarning(now: Date, pinned?: PinnedMajor): string | null {
  const { major, until, state } = electronSupport(now, pinned)
  if (state === 'supported') return null
  const when =
    state === 'ends-soon' ? `gets no more fixes from about ${until} on` : `has had no more fixes since about ${until}`
  return `Electron ${major} ${when}. Pin a newer one before the next package goes to a store (docs/shell-security.md).`
}
