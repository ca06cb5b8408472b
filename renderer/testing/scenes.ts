import { CHANGES } from './scenes-of-changes.ts'
import { MANAGER } from './scenes-of-queue.ts'
import { RETURNS } from './scenes-of-returns.ts'
import { KEYBOARD } from './scenes-of-keyboard.ts'
import { SALE } from './scenes-of-sale.ts'
import { STORE } from './scenes-of-store.ts'
import type { Scenes } from './scene.ts'

/** Every state of every screen, in the order in which a day shows them. */
export const SCENES: Scenes = { ...SALE, ...CHANGES, ...RETURNS, ...MANAGER, ...STORE, ...KEYBOARD }
