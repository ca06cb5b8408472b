import path from 'node:path'
import { dataHome } from '../../electron/places.ts'

/** Where an installer's keys are, unless they say otherwise. */
export const DEFAULT_KEYS = path.join(dataHome(), 'milepost-keys')
