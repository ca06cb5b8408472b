import { type DecodedPng, convertIndexedToRgb, decode, encode, hasPngSignature } from 'fast-png'
import type { Bitmap } from '../../../contracts/core/receipt.ts'
import { dirname, resolve } from 'node:path'
import type { Profile } from '../../../contracts/core/profile.ts'
import { EXIT, StartRefusedError } from '../program/data-folder.ts'
import { shortFile } from '../text-file.ts'

export class PngError extends Error {
  override readonly name = 'PngError'
}

/** Maximum width and maximum height of an image in dots; no paper roll is that wide. */
const MAX_SIDE = 2_048
const DARK_BELOW = 128
const SIZE_ENDS = 24

/** Converts a PNG (ISO/IEC 15948) to dots: over white, anything darker than middle grey is black. Throws a PngError. */
export function readPng(bytes: Uint8Array): Bitmap {
  refuseBySize(bytes)
  try {
    return dotsOf(decode(bytes))
  } catch (error) {
    throw new PngError('it is damaged or cut short', { cause: error })
  }
}

function refuseBySize(bytes: Uint8Array): void {
  if (bytes.length < 8 || !hasPngSignature(bytes.subarray(0, 8))) throw new PngError('it is not a PNG file')
  if (bytes.length < SIZE_ENDS) throw new PngError('it is cut short')
  const header = new DataView(bytes.buffer, bytes.byteOffset)
  const [width, height] = [header.getUint32(16), header.getUint32(20)]
  if (width === 0 || height === 0 || width > MAX_SIDE || height > MAX_SIDE)
    throw new PngError(`it has ${width} × ${height} dots: at most ${MAX_SIDE} on a side`)
}

function dotsOf(png: DecodedPng): Bitmap {
  const { width, height } = png
  const image = png.palette
    ? { data: convertIndexedToRgb(png), depth: 8, channels: png.palette[0]?.length ?? 3 }
    : { data: png.data, depth: png.depth, channels: png.channels }
  const { depth, channels } = image
  const most = 2 ** depth - 1
  const levelOf = (y: number, x: number, channel: number): number =>
    (sampleOf(image, width, y, x, channel) * 255) / most
  const dots = new Uint8Array(width * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const grey =
        channels <= 2
          ? levelOf(y, x, 0)
          : 0.299 * levelOf(y, x, 0) + 0.587 * levelOf(y, x, 1) + 0.114 * levelOf(y, x, 2)
      const alpha = channels % 2 === 0 ? levelOf(y, x, channels - 1) : 255
      dots[y * width + x] = 255 - ((255 - grey) * alpha) / 255 < DARK_BELOW ? 1 : 0
    }
  }
  return { width, height, dots }
}

type Image = Pick<DecodedPng, 'data' | 'channels'> & { readonly depth: number }

/** Below eight bits, several samples share a byte, and each row starts at a new byte. */
function sampleOf({ data, depth, channels }: Image, width: number, y: number, x: number, channel: number): number {
  if (depth >= 8) return data[(y * width + x) * channels + channel] ?? 0
  const bit = x * depth
  const byte = data[y * Math.ceil((width * depth) / 8) + (bit >> 3)] ?? 0
  return (byte >> (8 - depth - (bit & 7))) & (2 ** depth - 1)
}

export interface Pixels {
  readonly width: number
  readonly height: number
  readonly pixels: Uint8Array
}

/**
 * Writes a PNG (ISO/IEC 15948) in sixteen greys: enough for black on white with soft edges, at a quarter of the size of
 * a colour image. Uses the green channel, the brightest to the eye.
 */
export function writeGreyPng({ width, height, pixels }: Pixels): Uint8Array {
  const length = Math.ceil(width / 2)
  const data = new Uint8Array(length * height)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const level = Math.round((pixels[(y * width + x) * 4 + 1] ?? 0) / 17)
      const at = y * length + (x >> 1)
      data[at] = (data[at] ?? 0) | (x % 2 === 0 ? level << 4 : level)
    }
  }
  return encode({ width, height, depth: 4, channels: 1, data }, { zlib: { level: 9 } })
}

/** Maximum width of an image in dots on paper of 42 columns: twelve dots a column. */
const MAX_DOTS = 504

/**
 * Loads the store's logo as dots from the PNG in the profile; null without one. Throws a StartRefusedError that
 * explains what is wrong with the file.
 */
export function loadLogo({ receipt }: Pick<Profile, 'receipt'>, profileFile: string): Bitmap | null {
  if (!receipt.logo) return null
  const file = resolve(dirname(profileFile), receipt.logo.file)
  const refused = (reason: string): StartRefusedError =>
    new StartRefusedError(
      `${profileFile}: receipt.logo.file: ${file}: ${reason}. The logo is a PNG, black on white, at most ` +
        `${MAX_DOTS} dots wide.`,
      EXIT.badArguments,
    )
  let bytes: Uint8Array
  try {
    bytes = shortFile(file)
  } catch (error) {
    throw refused(
      error instanceof Error && 'code' in error && error.code === 'ENOENT'
        ? 'the file does not exist'
        : 'the file cannot be read',
    )
  }
  try {
    const logo = readPng(bytes)
    if (logo.width > MAX_DOTS) throw refused(`it is ${logo.width} dots wide`)
    return logo
  } catch (error) {
    throw error instanceof PngError ? refused(error.message) : error
  }
}
