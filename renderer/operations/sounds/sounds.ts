import { create } from 'zustand'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { api } from '../../core/api/terminal-api.ts'
import { type Cue, cueOfChange, cueOfEvent, cueOfNotices, play } from '../../core/sounds.ts'
import { report, useNotices } from '../../core/state/notices.ts'
import { useSale } from '../../sales/sale.ts'

export const LOUDEST = 10

interface SoundState {
  /** From 0 (off) to LOUDEST; off until the lane has told its own. */
  readonly volume: number
}

export const useSounds = create<SoundState>()(() => ({ volume: 0 }))

/** How loud this lane was left. Throws ApiProblem. */
export async function loadSounds(): Promise<void> {
  const { volume } = await api.sounds()
  useSounds.setState({ volume })
}

export const sound = (cue: Cue): void => play(cue, useSounds.getState().volume)

let kept: Promise<void> = Promise.resolve()

/**
 * At once on this screen, and kept for the lane, one after another: the last that was chosen is the one that stays. The
 * new volume is heard.
 */
export function chooseVolume(volume: number): Promise<void> {
  useSounds.setState({ volume })
  sound('scan-ok')
  kept = kept.then(() => api.setSounds(volume)).then(() => undefined, report)
  return kept
}

const whenCue = (cue: Cue | null): void => {
  if (cue) sound(cue)
}

export const soundEvent = (event: TerminalEvent): void => whenCue(cueOfEvent(event))

/** Sounds outcomes and problems as they come to the screen. Answers a function that stops. */
export function followSounds(): () => void {
  const shown = ({ current, closed }: { current: Sale | null; closed: Sale | null }): Sale | null => current ?? closed
  const stops = [
    useSale.subscribe((now, before) => whenCue(cueOfChange(shown(before), shown(now)))),
    useNotices.subscribe((now, before) => whenCue(cueOfNotices(before.notices, now.notices))),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}
