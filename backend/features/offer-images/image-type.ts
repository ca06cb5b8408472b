/** The pictures that a screen may be given, by how their files begin: what a server calls them says nothing. */
const BEGINNINGS = [
  ['image/png', (bytes: Uint8Array) => startsWith(bytes, 0, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ['image/jpeg', (bytes: Uint8Array) => startsWith(bytes, 0, [0xff, 0xd8, 0xff])],
  // RIFF, four bytes of length, WEBP.
  [
    'image/webp',
    (bytes: Uint8Array) =>
      startsWith(bytes, 0, [0x52, 0x49, 0x46, 0x46]) && startsWith(bytes, 8, [0x57, 0x45, 0x42, 0x50]),
  ],
] as const

export type ImageType = (typeof BEGINNINGS)[number][0]

/** Null: it is none of them, whatever else it may be. */
export const imageTypeOf = (bytes: Uint8Array): ImageType | null =>
  BEGINNINGS.find(([, begins]) => begins(bytes))?.[0] ?? null

const startsWith = (bytes: Uint8Array, at: number, wanted: readonly number[]): boolean =>
  wanted.every((byte, index) => bytes[at + index] === byte)
