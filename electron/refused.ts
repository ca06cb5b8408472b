import { storageTrouble } from '../contracts/storage-trouble.ts'

/** Why a terminal did not start, in words for whoever started it, with the exit code to end with. */
export class TerminalRefused extends Error {
  readonly exitCode: number
  constructor(message: string, exitCode: number, options?: ErrorOptions) {
    super(message, options)
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
  return trouble === null ? error : new TerminalRefused(trouble.message, trouble.exitCode)
}
