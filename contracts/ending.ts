/**
 * The last line that a supervised program writes on standard output: the exit code with which it is about to end. Node
 * can wait for ever at its exit (docs/decisions/0055-memory-of-the-backend.md); whoever reads this line ends it then.
 */
export const endingLine = (code: number): string => `${JSON.stringify({ ending: code })}\n`

/** For the exit of a supervised program: writes that line, where somebody still reads it. */
export const sayEnding =
  (write: (line: string) => void) =>
  (code: number): void => {
    try {
      write(endingLine(code))
    } catch {
      // Whoever supervised this program is gone.
    }
  }

/** The exit code of such a line; null for every other. */
export function readEnding(line: string): number | null {
  const [, code] = /^\{"ending":(\d+)\}$/.exec(line) ?? []
  return code === undefined ? null : Number(code)
}
