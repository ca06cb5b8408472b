import { create } from 'zustand'
import type { Sale } from '../../../contracts/sales/sales.ts'
import type { TerminalEvent } from '../../../contracts/core/events.ts'
import { api } from '../../core/api/terminal-api.ts'
import { type Cue, cueOfChange, cueOfEvent, cueOfNotices, play } from '../../core/sounds.ts'
import { report, useNotices } from '../../core/state/notices.ts'
import { useSale } from '../../sales/sale.ts'

export const LOUDEST = 10

interface SoundState {
  readonly volume: number
}

export const useSounds = create<SoundState>()(() => ({ volume: 0 }))

/** Loads this lane's stored volume. Throws ApiProblem. */
export async function loadSounds(): Promise<void> {
  const { volume } = await api.sounds()
  useSounds.setState({ volume })
}

export const sound = (cue: Cue): void => play(cue, useSounds.getState().volume)

let stored: Promise<void> = Promise.resolve()

/**
 * Applies a volume at once, plays a sound at that volume, and stores it for the lane. Calls run one after another, so
 * that the last choice is stored.
 */
export function chooseVolume(volume: number): Promise<void> {
  useSounds.setState({ volume })
  sound('scan-ok')
  stored = stored.then(() => api.setSounds(volume)).then(() => undefined, report)
  return stored
}

const whenCue = (cue: Cue | null): void => {
  if (cue) sound(cue)
}

export const soundEvent = (event: TerminalEvent): void => whenCue(cueOfEvent(event))

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
