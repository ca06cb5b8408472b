import { formatRefusal, type Refusal, type RefusalTexts } from '../../contracts/core/refusal.ts'
import { storageTrouble } from '../../contracts/core/program.ts'

export class TerminalRefused extends Error {
  readonly exitCode: number
  readonly refusal: Refusal | null
  constructor(why: string | Refusal, exitCode: number, options?: ErrorOptions) {
    super(typeof why === 'string' ? why : formatRefusal(why), options)
    this.refusal = typeof why === 'string' ? null : why
    this.name = 'TerminalRefused'
    this.exitCode = exitCode
  }
}

/** The lane is already open. Its window has come to the front, so the caller shows no dialog. */
export class AlreadyOpen extends TerminalRefused {
  constructor(processId: string) {
    super(`Milepost is already open on this lane (process ${processId}). Its window is in front now.`, 3)
    this.name = 'AlreadyOpen'
  }
}

/** Converts an error of creating, reading or writing a data folder to a refusal. Returns other errors unchanged. */
export function folderRefusal(folder: string, error: unknown): unknown {
  const trouble = storageTrouble(folder, error)
  return trouble === null ? error : new TerminalRefused(trouble.refusal, trouble.exitCode)
}

/** Returns a refusal’s text in the language of `messages` (default: English), or the message of another error. */
export function refusalLine(error: unknown, messages?: RefusalTexts): string {
  if (error instanceof TerminalRefused && error.refusal !== null) return formatRefusal(error.refusal, messages)
  return error instanceof Error ? error.message : String(error)
}
