import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Signer } from '../keys.ts'
import {
  type Channel,
  CHANNEL_FILE,
  filePlace,
  manifestPlace,
  type Program,
  PROGRAM_SIGNED,
  type ProgramFile,
  sealChannel,
  sealManifest,
  sha256,
  type UpdateManifest,
} from '../updates/formats.ts'
import { fileIn } from '../updates/program-files.ts'
import { tlsFiles } from './loopback-tls.ts'
import { channelOf, program, release, updateManifest } from './updates.ts'

export type Files = Readonly<Record<string, string | Buffer>>

export const programOf = (files: Files, executable: readonly string[] = []): Program =>
  program({
    files: Object.entries(files).map(([place, content]): ProgramFile => ({
      path: place,
      sha256: sha256(Buffer.from(content)),
      bytes: Buffer.byteLength(content),
      executable: executable.includes(place),
    })),
  })

export function installProgram(folder: string, files: Files, sealed: Uint8Array): void {
  for (const [place, content] of Object.entries(files)) {
    const file = fileIn(folder, place)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  writeFileSync(path.join(folder, PROGRAM_SIGNED), sealed)
}

export function releaseFolder(folder: string, signer: Signer) {
  for (const name of ['manifests', 'files']) mkdirSync(path.join(folder, name), { recursive: true })
  const hashes = new Map<string, string>()

  return {
    folder,
    put(version: string, files: Files, change: Partial<UpdateManifest> = {}): Buffer {
      const sealed = sealManifest(updateManifest({ version, programs: [programOf(files)], ...change }), signer)
      for (const content of Object.values(files))
        writeFileSync(path.join(folder, filePlace(sha256(Buffer.from(content)))), gzipSync(content))
      hashes.set(version, sha256(sealed))
      writeFileSync(path.join(folder, manifestPlace(sha256(sealed))), sealed)
      return sealed
    },
    announce(change: Partial<Channel> = {}): void {
      const releases = [...hashes].map(([version, manifest]) => release(version, { manifest }))
      writeFileSync(path.join(folder, CHANNEL_FILE), sealChannel(channelOf(releases, change), signer))
    },
  }
}

export interface FileServer {
  readonly base: string
  readonly requests: string[]
  readonly reports: unknown[]
  instead: (place: string, response: ServerResponse) => boolean
  close(): Promise<void>
}

export async function serveFolder(folder: string): Promise<FileServer> {
  const { certificate, key } = await tlsFiles()
  const tls = { cert: readFileSync(certificate), key: readFileSync(key) }
  const server = createServer(tls, (request, response) => {
    const place = (request.url ?? '').replace(/^\/updates\//, '')
    served.requests.push(place)
    if (served.instead(place, response)) return
    if (request.method === 'POST') {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        served.reports.push(JSON.parse(Buffer.concat(chunks).toString('utf8')))
        response.writeHead(204).end()
      })
      return
    }
    try {
      response.end(readFileSync(path.join(folder, place)))
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const served: FileServer = {
    base: `https://127.0.0.1:${port}/updates`,
    requests: [],
    reports: [],
    instead: () => false,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return served
}
