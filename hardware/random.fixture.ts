export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function randomBytes(count: number, seed: number): Buffer {
  const random = randomFrom(seed)
  const bytes = Buffer.allocUnsafe(count)
  for (let index = 0; index < count; index += 1) bytes[index] = Math.floor(random() * 256)
  return bytes
}
