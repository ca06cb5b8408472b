import { sayRefusal, type Refusal, type RefusalWords } from '../../contracts/core/refusal.ts'
import { storageTrouble } from '../../contracts/core/program.ts'

/** Why a terminal did not start, in words for whoever started it, with the exit code to end with. */
export class TerminalRefused extends Error {
  readonly exitCode: number
  /** Null where there are no words of it but those of its message. */
  readonly refusal: Refusal | null
  constructor(why: string | Refusal, exitCode: number, options?: ErrorOptions) {
    super(typeof why === 'string' ? why : sayRefusal(why), options)
    this.refusal = typeof why === 'string' ? null : why
    this.name = 'TerminalRefused'
    this.exitCode = exitCode
  }
}

/** The lane is open in another window, which has come forward: nobody needs to be told in a box on top of it. */
export class AlreadyOpen extends TerminalRefused {
  constructor(processId: string) {
    super(`Milepost is open on this lane already (process ${processId}): its window is in front now.`, 3)
    this.name = 'AlreadyOpen'
  }
}

/** A data folder that cannot be made, read or written is a refusal; any other error is what it was. */
export function folderRefusal(folder: string, error: unknown): unknown {
  const trouble = storageTrouble(folder, error)
  return trouble === null ? error : new TerminalRefused(trouble.refusal, trouble.exitCode)
}

/** A refusal in these words, left out: in English; of any other error its message. */
export function refusalLine(error: unknown, words?: RefusalWords): string {
  if (error instanceof TerminalRefused && error.refusal !== null) return sayRefusal(error.refusal, words)
  return error instanceof Error ? error.message : String(error)
}
