import { isOwnAddress } from './origin.ts'

/** The part of Electron's WebFrameMain that is used here. */
interface Frame {
  readonly parent: unknown
  readonly url: string
}
/** The part of Electron's event of a call that is used here: a frame that is gone by now is null. */
interface CallEvent {
  readonly senderFrame: Frame | null
}
type Answer<Event> = (event: Event, argument: unknown) => unknown

/** What the preload offers, by its channel. Optional all of it: in a browser the terminal works without. */
export type ShellCalls<Event> = Readonly<Record<`shell:${string}`, Answer<Event>>>

/** Only the top frame of our own pages is answered, whatever else may have found its way into a window. */
export function answerShellCalls<Event extends CallEvent>(
  ipc: { handle(channel: string, listener: Answer<Event>): unknown },
  calls: ShellCalls<Event>,
): void {
  for (const [channel, reply] of Object.entries(calls)) {
    ipc.handle(channel, (event, argument) => {
      if (!isOwnTopFrame(event.senderFrame)) throw new Error('refused')
      return reply(event, argument)
    })
  }
}

const isOwnTopFrame = (frame: Frame | null): boolean =>
  frame !== null && frame.parent === null && isOwnAddress(frame.url)
