import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { ProfileMistake } from '../../../../contracts/core/profile-check.ts'
import { Region } from '../../../../contracts/core/regions.ts'
import type { ProfileChecker } from '../check-profile.ts'
import { type Group, mistakeAt, noSettings, settingsIn, localized } from './settings.ts'
import { NO_TABLE, tableOf, type Table } from './table.ts'

export const BASE = 'chain.yaml'
export const REGIONS = 'regions'
export const STORES = 'stores'
export const TABLE = 'stores.csv'

/** Settings of one file; null if the file cannot be read, so that stores that need it are not rendered. */
export interface Layer {
  readonly file: string
  readonly settings: Group | null
  readonly mistakes: readonly ProfileMistake[]
}

export interface Chain {
  readonly folder: string
  readonly base: Layer
  readonly regions: ReadonlyMap<string, Layer>
  readonly stores: ReadonlyMap<string, Layer>
  readonly table: Table
  readonly storeIds: readonly string[]
  readonly mistakes: readonly ProfileMistake[]
}

export const isChain = (folder: string): boolean => existsSync(path.join(folder, BASE))

/** Reads a chain's folder. An unreadable file is a mistake only of the stores that use it. */
export async function readChain(folder: string, checker: ProfileChecker): Promise<Chain> {
  const base = await readLayer(path.join(folder, BASE), checker)
  const regions = await readLayers(path.join(folder, REGIONS), checker)
  const stores = await readLayers(path.join(folder, STORES), checker)
  const file = path.join(folder, TABLE)
  const table = existsSync(file) ? tableOf(file, await checker.ask({ kind: 'table', file })) : NO_TABLE
  const storeIds = [...new Set([...stores.layers.keys(), ...table.rows.map(({ id }) => id)])].toSorted(byCode)
  const noRegions = [...regions.layers].filter(([name]) => !Region.options.some((region) => region === name))
  return {
    folder,
    base,
    regions: regions.layers,
    stores: stores.layers,
    table,
    storeIds,
    mistakes: [
      ...regions.mistakes,
      ...stores.mistakes,
      ...noRegions.map(([, layer]) =>
        mistakeAt(noSettings(layer.file).at, '', localized('chain.regionName', { list: Region.options.join(', ') })),
      ),
      ...table.mistakes,
    ],
  }
}

/** Compares by code unit, so that the order is independent of the machine's language. */
const byCode = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

async function readLayers(
  folder: string,
  checker: ProfileChecker,
): Promise<{ layers: Map<string, Layer>; mistakes: ProfileMistake[] }> {
  const names = existsSync(folder) ? readdirSync(folder).toSorted(byCode) : []
  const layers = new Map<string, Layer>()
  for (const name of names.filter((one) => one.endsWith('.yaml')))
    layers.set(path.basename(name, '.yaml'), await readLayer(path.join(folder, name), checker))
  const others = names.filter((name) => !name.endsWith('.yaml') && /\.ya?ml$/i.test(name))
  const mistakes = others.map((name) =>
    mistakeAt(
      noSettings(path.join(folder, name)).at,
      '',
      localized('chain.fileName', { name: `${name.replace(/\.ya?ml$/i, '')}.yaml` }),
    ),
  )
  return { layers, mistakes }
}

async function readLayer(file: string, checker: ProfileChecker): Promise<Layer> {
  const { mistakes } = await checker.ask({ kind: 'layer', file })
  if (mistakes.length > 0) return { file, settings: null, mistakes }
  return { file, settings: settingsIn(file, new TextDecoder().decode(readFileSync(file))), mistakes }
}
