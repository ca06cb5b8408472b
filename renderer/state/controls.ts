import type { Control } from '../../contracts/control-codes.ts'

let perform: (control: Control) => void = () => undefined

/** A barcode that stands for a key was scanned. Nothing happens while no screen with keys is open. */
export const takeControl = (control: Control): void => perform(control)

/** Says what does the controls from now on. Answers a function that stops it. */
export function onControl(next: (control: Control) => void): () => void {
  perform = next
  return () => {
    if (perform === next) perform = () => undefined
  }
}
